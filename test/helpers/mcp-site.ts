import type { CallToolResult } from '@modelcontextprotocol/client';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { ExecutionContext } from 'ava';
import { createRepository, type TestRepository } from './create-repository.ts';
import { commitFiles } from './write-pages.ts';

const LONG = Array.from({ length: 60 }, (_, at) => `## Part ${at}\n\n${`Words of part ${at}. `.repeat(60)}\n`).join(
  '\n',
);

/**
 * Creates a repository with two versions in two languages. `guide/setup` of v1.0 is `guide/install` in v2.0, with another text, `old` is in
 * v1.0 alone, and `long` is longer than an answer.
 */
export function createMcpRepository(t: ExecutionContext): TestRepository {
  const repository = createRepository(t);
  const setup = '# Set up\n\nUnpack the archive.\n\n## On Linux\n\nRun the installer.\n\n## On Windows\n\nClick.\n';
  commitFiles(repository, {
    'docs/en/index.md': '# Handbook\n\nAll about teapots.\n',
    'docs/en/guide/setup.md': setup,
    'docs/en/guide/brew.md': '# Brew\n\nBoil the water for [setup](setup.md).\n\n## Time\n\nThree minutes.\n',
    'docs/en/old.md': '# Old\n\nForgotten.\n',
    'docs/en/long.md': `# Long\n\n${LONG}`,
    'docs/zh_CN/index.md': '# 手册\n\n关于茶壶的一切。\n',
  });
  repository.git('tag', 'v1.0');
  repository.git('rm', '-q', 'docs/en/old.md');
  repository.git('mv', 'docs/en/guide/setup.md', 'docs/en/guide/install.md');
  commitFiles(repository, {
    'docs/en/guide/install.md': setup.replace('the installer', '`tea install`'),
    'docs/en/guide/brew.md':
      '# Brew\n\nBoil the water for [setup](install.md).\n\n## Time {#how-long}\n\nFour minutes.\n',
  });
  repository.git('tag', 'v2.0');
  return repository;
}

/** The tools of a site, called by the SDK's own client. */
export interface McpTools {
  readonly client: Client;
  /** Calls a tool that must succeed; returns what it answered as data, and as text. */
  call(name: string, args?: object): Promise<{ readonly data: never; readonly text: string }>;
  /** Calls a tool that must fail; returns what it said. */
  refuse(name: string, args?: object): Promise<string>;
}

/** Returns the tools of a connected client, which is closed with the test. */
export function useTools(t: ExecutionContext, client: Client): McpTools {
  t.teardown(() => client.close());
  const ask = async (name: string, args: object = {}): Promise<{ result: CallToolResult; text: string }> => {
    const result = (await client.callTool({ name, arguments: args as never })) as CallToolResult;
    const [content] = result.content;
    return { result, text: content?.type === 'text' ? content.text : '' };
  };
  return {
    client,
    async call(name, args) {
      const { result, text } = await ask(name, args);
      t.not(result.isError, true, text);
      return { data: result.structuredContent as never, text };
    },
    async refuse(name, args) {
      const { result, text } = await ask(name, args);
      t.true(result.isError, text);
      return text;
    },
  };
}

/** Connects to an MCP server over HTTP: by the protocol of 2026 (`auto`), or by those before. */
export async function connectMcp(
  t: ExecutionContext,
  url: string,
  mode: 'auto' | 'legacy' = 'auto',
  headers: Readonly<Record<string, string>> = {},
): Promise<McpTools> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return useTools(t, client);
}
