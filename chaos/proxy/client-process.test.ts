import { describe, expect, it } from 'vitest';
import { createSystemClock } from '../../base/clock/system.ts';
import { type ProcessChange, type StartedClient, createStartedClient } from './client-process.ts';

interface Started {
  readonly client: StartedClient;
  readonly changes: ProcessChange[];
  readonly output: () => string;
}

function start(command: string): Started {
  const changes: ProcessChange[] = [];
  let output = '';
  const client = createStartedClient({
    command: ['/bin/sh', '-c', command],
    environment: { PATH: process.env['PATH'], GREETING: 'hello' },
    clock: createSystemClock(),
    onChange: (change) => changes.push(change),
    onOutput: (chunk) => (output += Buffer.from(chunk).toString()),
  });
  client.start();
  return { client, changes, output: () => output };
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('the process of a client under test', () => {
  it('is killed with its children and started again after a crash', async () => {
    const { client, changes, output } = start('sleep 60 & echo child $!; wait');
    await expect.poll(output).toMatch(/child \d+/);
    const child = Number(/child (\d+)/.exec(output())?.[1]);
    client.crash(10);
    await expect.poll(() => changes).toEqual(['started', 'killed', 'started']);
    await expect.poll(() => isAlive(child)).toBe(false);
    await client.stop();
  });

  it('is started again after it ends by itself, and the exit is counted', async () => {
    const { client, changes, output } = start('echo $GREETING');
    await expect.poll(() => changes.length).toBeGreaterThanOrEqual(3);
    await client.stop();
    expect(changes.slice(0, 3)).toEqual(['started', 'ended', 'started']);
    expect(client.exits).toBeGreaterThan(0);
    expect(output()).toContain('hello');
  });

  it('writes nothing while it is suspended', async () => {
    const { client, changes, output } = start('while true; do echo x; sleep 0.01; done');
    await expect.poll(output).toContain('x');
    client.pause(60_000);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const before = output();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(output()).toBe(before);
    client.recover();
    await expect.poll(() => output().length).toBeGreaterThan(before.length);
    await client.stop();
    expect(changes).toEqual(['started', 'paused', 'resumed']);
  });
});
