import { describe, expect, it } from 'vitest';
import { journalLines, readJournalFile } from '../../runtime/index.ts';
import { loadSubject } from '../run/index.ts';
import { run } from '../run/run.ts';
import { seeded } from '../run/swarm.ts';
import { TraceError, traceOf } from '../run/trace.ts';
import { randomTape } from '../tape/tape.ts';
import { ordinaryFaults } from '../world/fault-kinds.ts';
import { journalOfTrace } from './trace-journal.ts';

const entries = [{ seq: 1, atMs: 5, kind: 'reconcile.started', controller: 'job', key: 'a' }] as const;
const withJournal = { version: 1, scenario: {}, tape: {}, journal: entries };
const NAMES = ['tokencleaner'] as const;

describe('the journal of a trace', () => {
  it('equals that of a journal file', async () => {
    const file = await journalOfTrace(`${JSON.stringify(withJournal)}\n`);
    expect(file).toEqual({ charts: {}, entries });
    if (file !== undefined) expect(readJournalFile(`${[...journalLines(file)].join('\n')}\n`)).toEqual(file);
  });

  it('comes from a replay if the trace has none', async () => {
    const controllers = [...NAMES];
    const plan = {
      product: 'orch',
      selection: controllers,
      controllers,
      faults: ordinaryFaults,
      budget: 5,
      lastsMs: 900_000,
    } as const;
    const subject = await loadSubject('orch', controllers, undefined);
    const { scenario, swarm, random } = seeded(1, plan);
    const trace = traceOf(scenario, await run({ scenario, subject, tape: randomTape(random), swarm }));
    expect(trace.journal).toBeUndefined();
    const file = await journalOfTrace(JSON.stringify(trace));
    expect(new Set(file?.entries.map(({ controller }) => controller))).toEqual(new Set(NAMES));
    expect(file?.entries.some(({ kind }) => kind === 'reconcile.finished')).toBe(true);
  });

  it('cannot be read from a trace without a tape', async () => {
    await expect(journalOfTrace('{"version":1,"scenario":{}}')).rejects.toThrow(TraceError);
  });

  it('is undefined for a journal file', async () => {
    expect(await journalOfTrace([...journalLines({ charts: {}, entries })].join('\n'))).toBeUndefined();
  });
});
