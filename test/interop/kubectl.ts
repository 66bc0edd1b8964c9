import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createApi, type Api } from '../e2e/api.ts';
import { statusOf } from '../e2e/cluster.ts';
import { type Program, createWorkbench } from '../e2e/process.ts';
import { until } from '../real-time.ts';

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Cluster under the `kubernetes` vocabulary, with one client. */
export interface KubectlFixture {
  readonly api: Api;
  readonly folder: string;
  /** Runs kubectl as the administrator. Resolves with standard output, or rejects on failure. */
  run(
    argv: string,
    options?: { readonly stdin?: string; readonly env?: Readonly<Record<string, string>> },
  ): Promise<string>;
  /** Runs kubectl. Resolves with its result for any exit code. */
  attempt(
    argv: readonly string[],
    options?: { readonly stdin?: string; readonly env?: Readonly<Record<string, string>> },
  ): Promise<Outcome>;
  /** Starts kubectl and does not wait for its end. */
  start(argv: string): Program;
  /** Starts kubectl with arguments that are given one by one. */
  begin(argv: readonly string[], env?: Readonly<Record<string, string>>): Program;
  /** Writes a file and returns its path. */
  file(name: string, text: string): string;
  /**
   * Writes an editor program that applies the change `script` to its file. Returns the path of the program.
   */
  editor(script: string): string;
  close(): Promise<void>;
}

/** Starts a cluster; `flags` are additional flags of the server. */
export async function startKubectlFixture(
  kubectl: string,
  flags: readonly string[] = [],
): Promise<KubectlFixture> {
  const bench = createWorkbench();
  const folder = bench.folder();
  const data = join(folder, 'data');
  const argv = ['up', '--data-dir', data, '--secure-port', '0', '--vocabulary', 'kubernetes', ...flags];
  await bench.orch(argv).output(/^ready https/m);
  const config = join(data, 'admin.conf');
  const api = createApi(config);
  // Pods need this ServiceAccount, which a controller creates once its caches have synced.
  const account = statusOf(api, '/api/v1/namespaces/default/serviceaccounts/default');
  await until(async () => (await account()) === 200, 60_000);
  const home = { HOME: folder, KUBECONFIG: config };
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  const begin: KubectlFixture['begin'] = (argv, env) =>
    bench.spawn(kubectl, argv, { cwd: folder, env: { ...home, ...env } });
  const attempt: KubectlFixture['attempt'] = async (args, { stdin, env } = {}) => {
    const program = bench.spawn(kubectl, args, {
      cwd: folder,
      env: { ...home, ...env },
      ...(stdin === undefined ? {} : { stdin }),
    });
    const { code } = await program.exit(40_000);
    return { code, stdout: program.stdout, stderr: program.stderr };
  };
  return {
    api,
    folder,
    attempt,
    async run(line, options) {
      const { code, stdout, stderr } = await attempt(words(line), options);
      if (code !== 0) throw new Error(`kubectl ${line} exited with ${code}: ${stdout}${stderr}`);
      return stdout;
    },
    start: (line) => begin(words(line)),
    begin,
    file,
    editor(script) {
      const path = file('editor.sh', `#!/bin/sh\n${script}\n`);
      chmodSync(path, 0o700);
      return path;
    },
    close: () => bench.close(),
  };
}

/** Splits a command line at blanks. Text in single quotes is one word. */
export const words = (line: string): readonly string[] =>
  [...line.matchAll(/(?:'[^']*'|\S)+/g)].map(([word]) => word.replaceAll("'", ''));
