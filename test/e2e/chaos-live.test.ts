import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { LONG } from '../long.ts';
import { createWorkbench } from './process.ts';

const bench = createWorkbench();
afterAll(() => bench.close());
const folder = bench.folder();
const LIMIT_MS = 300_000;

interface Report {
  readonly verdict: string;
  readonly commits: number;
  readonly faults: readonly { readonly name: string; readonly struck: number }[];
  readonly invariants: readonly { readonly id: string; readonly reached: number; readonly broken: number }[];
  readonly failures: readonly unknown[];
}

describe('orch chaos live', () => {
  it.each([
    [['--faults', 'earthquake'], 'unknown fault "earthquake"'],
    [['--controllers', 'nobody'], 'unknown controllers: "nobody"'],
    [['--replicas', '0'], '--replicas'],
  ])('rejects %j with one sentence', async (flags, reason) => {
    const program = bench.orch(['chaos', 'live', ...flags], { cwd: folder });
    expect((await program.exit()).code).toBe(1);
    expect(program.stderr).toContain(reason);
  });

  it.runIf(LONG)(
    'kills and disconnects real processes, and finds no violation by the controllers',
    async () => {
      const report = join(folder, 'report.json');
      const faults = 'crash,pause,partition,clock-forward,api-restart,lost-response,cut-watch';
      const controllers = 'tokencleaner,serviceaccount,clusterrole-aggregation';
      const which = ['--controllers', controllers, '--faults', faults, '--seed', '1', '--duration', '40s'];
      const program = bench.orch(['chaos', 'live', ...which, '--accept-vacuous', '--report', report], {
        cwd: folder,
      });
      const { code } = await program.exit(LIMIT_MS);
      expect([code, program.stdout]).toEqual([0, program.stdout]);
      const {
        commits,
        faults: struck,
        invariants,
        failures,
      } = JSON.parse(readFileSync(report, 'utf8')) as Report;
      expect(failures).toEqual([]);
      expect(commits).toBeGreaterThan(50);
      expect(struck.filter(({ struck: times }) => times > 0).length).toBeGreaterThanOrEqual(3);
      const reached = invariants.filter((each) => each.reached > 0).map(({ id }) => id);
      expect(reached).toEqual(
        expect.arrayContaining([
          'generic/no-blind-write',
          'generic/no-effect-after-later-reconcile',
          'queue/no-forgotten-key',
          'leaderelection/no-request-after-expiry',
          'apiserver/versions-grow',
        ]),
      );
    },
    LIMIT_MS,
  );
});
