import type { Command } from 'commander';
import type { ListedNode } from '../platform/nodes/node-report.ts';
import { addCommonOptions, type CommonFlags, printResult, withOperations } from './run-command.ts';

/** Adds `docbuild nodes`: which processes serve and build. */
export function addNodesCommand(program: Command): void {
  addCommonOptions(program.command('nodes'))
    .description('list the processes of the service: what each does, since when, and what it builds')
    .action((flags: CommonFlags) =>
      withOperations(flags, async (operations) => {
        const found = await operations.listNodes({});
        printResult(flags, found, found.map(formatNode).join('\n') || 'No process serves or builds');
      }),
    );
}

function formatNode(node: ListedNode): string {
  const { name, role, version, since, seen, builds } = node;
  const built = builds.map(({ id, project, ref }) => `${project} (${ref || 'all versions'}, ${id})`);
  const work = built.length > 0 ? `builds ${built.join(', ')}` : 'builds nothing';
  return [name, role, version, `since ${since}`, `heard ${seen}`, describeState(node), work].join('\t');
}

function describeState({ id, isGone, isDraining, isOnDuty, trouble }: ListedNode): string {
  const states = [
    id === 0 && 'the only process',
    isGone && 'gone',
    isDraining && 'draining',
    id !== 0 && isOnDuty && 'on duty',
    trouble !== '' && trouble,
  ].filter((state) => state !== false);
  return states.join(', ') || 'works';
}
