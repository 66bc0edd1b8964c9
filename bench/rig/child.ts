import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { BareOptions } from '../load/bare.ts';
import type { Job, JobAnswer } from '../load/job.ts';

const program = (name: string): string => new URL(`../load/${name}.js`, import.meta.url).pathname;

/** Child process that sends requests. */
export interface Load extends AsyncDisposable {
  run(job: Job): Promise<number>;
}

export function startLoad(): Load {
  const child = fork(program('main'));
  return {
    async run(job) {
      const answered = once(child, 'message') as Promise<[JobAnswer]>;
      child.send(job);
      const [answer] = await Promise.race([answered, ended(child)]);
      if ('error' in answer) throw new Error(answer.error);
      return answer.value;
    },
    [Symbol.asyncDispose]: () => stopped(child),
  };
}

/** Child process that runs the bare server. */
export interface Bare extends AsyncDisposable {
  readonly port: number;
}

export async function startBare(options: BareOptions): Promise<Bare> {
  const child = fork(program('bare'));
  const answered = once(child, 'message') as Promise<[{ port: number }]>;
  child.send(options);
  const [{ port }] = await Promise.race([answered, ended(child)]);
  return { port, [Symbol.asyncDispose]: () => stopped(child) };
}

async function ended(child: ChildProcess): Promise<never> {
  const [code] = (await once(child, 'exit')) as [number | null];
  throw new Error(`a process of the rig ended with ${code}`);
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill();
  await gone;
}
