import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** One recorded payload of GitHub. */
export interface WebhookExample {
  /** Where it stands: `api.github.com push 3`. */
  readonly title: string;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was recorded
  readonly payload: any;
}

const folder = dirname(createRequire(import.meta.url).resolve('@octokit/webhooks-examples/package.json'));

/** Returns every example of some events, of github.com and of every server edition in the package. */
export function webhookExamples(...events: readonly string[]): readonly WebhookExample[] {
  const editions = readdirSync(folder).filter((name) => /^(?:api\.github\.com|ghes-\d+)$/.test(name));
  return editions.flatMap((edition) => {
    const definitions = JSON.parse(readFileSync(join(folder, edition, 'index.json'), 'utf8')) as readonly {
      readonly name: string;
      readonly examples: readonly unknown[];
    }[];
    return definitions
      .filter(({ name }) => events.includes(name))
      .flatMap(({ name, examples }) =>
        examples.map((payload, index) => ({ title: `${edition} ${name} ${index}`, event: name, payload })),
      );
  });
}
