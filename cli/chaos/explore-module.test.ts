import { resolve } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { UsageError } from '../flags/flags.ts';
import { chaosExplore } from './explore.ts';

const TTL = resolve('examples/config-map-ttl.chaos.ts');
const BACKUP = resolve('examples/backup/backup.chaos.ts');
const HIDDEN = resolve('cli/chaos/hidden-memory.fixture.ts');

afterEach(() => vi.restoreAllMocks());

/** Runs the command; returns its exit code and output. */
async function explored(
  ...argv: readonly string[]
): Promise<{ readonly code: number; readonly text: string }> {
  const lines: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    lines.push(String(chunk));
    return true;
  });
  const code = await chaosExplore([...argv, '--faults', '1', '--estimate=false']);
  return { code, text: lines.join('') };
}

describe('the exploration of a module', () => {
  it('proves its controller on its scenario, by name or as the only one', async () => {
    const { code, text } = await explored('config-map-ttl', '--module', TTL);
    expect([code, text]).toEqual([0, expect.stringMatching(/^PASS {2}config-map-ttl: 1 object, 1 fault/)]);
    expect(text).not.toMatch(/premise never reached: .*config-map-ttl/);
    const other = await explored('--module', TTL);
    expect(other.text.split('\n')[0]).toBe(text.split('\n')[0]);
  });

  it('finds a mutant, and names the actions of users and the fault', async () => {
    const { code, text } = await explored('--module', TTL, '--mutant', 'config-map-ttl/clock-ahead');
    expect(code).toBe(1);
    expect(text).toMatch(/config-map-ttl\/no-early-deletion: short was deleted before its expiry\n/);
  });

  it('proves a controller of a custom kind', async () => {
    const { code, text } = await explored('--module', BACKUP);
    expect([code, text]).toEqual([0, expect.stringMatching(/^PASS {2}backup: 0 objects, 1 fault/)]);
    expect(text).not.toMatch(/premise never reached: .*backup\//);
  });

  it('is unknown and names the place if its controller has hidden memory', async () => {
    const { code, text } = await explored('--module', HIDDEN);
    expect(code).toBe(2);
    expect(text).toMatch(/^UNKNOWN {2}config-map-ttl: .*"plainObject" in .*nothing was proved\n/);
  });

  it('rejects an unknown controller, and a number of objects', async () => {
    await expect(explored('cronjob', '--module', TTL)).rejects.toThrow(UsageError);
    await expect(explored('--module', TTL, '--objects', '2')).rejects.toThrow(/scenario has its own objects/);
  });
});
