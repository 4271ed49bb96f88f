/**
 * The nav button: languages, versions and the git address of a documentation page, on our pages and on any other page
 * that carries the script tag. Leaves no globals, sends one request per page, and is silent if there is no answer.
 */
import { createButton } from './button/create-button.ts';
import { findProject } from './button/find-project.ts';

const { currentScript } = document;

function start(): void {
  try {
    const project = findProject(currentScript as HTMLScriptElement);
    // Another copy of the script may have been here before.
    if (project && !document.querySelector('docbuild-button')) createButton(project);
  } catch {
    // Attributes that are no addresses, or a browser too old: the page does without.
  }
}

if (document.body) start();
else addEventListener('DOMContentLoaded', start);
