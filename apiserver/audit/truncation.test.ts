import { describe, expect, it } from 'vitest';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createLosses, createRecorder, eventOf } from './audit.fixture.ts';
import { eventLine } from './event.ts';
import { createTruncation } from './truncation.ts';

const SIZE = eventLine(eventOf('1'), kubernetesVocabulary).length;

function start(maxEventBytes: number, maxBatchBytes = 100_000, outcome?: () => boolean | Promise<boolean>) {
  const recorder = createRecorder(outcome);
  const { losses, lost } = createLosses();
  const backend = createTruncation({
    backend: recorder.backend,
    vocabulary: kubernetesVocabulary,
    lost,
    maxEventBytes,
    maxBatchBytes,
  });
  return { recorder, losses, backend };
}

describe('truncation of audit events', () => {
  it('removes the objects of an event that is too large, and marks the event', () => {
    const { recorder, backend } = start(SIZE + 100);
    const large = eventOf('1', { level: 'Request', requestObject: 'x'.repeat(500), responseObject: 'y' });
    expect(backend.process([large])).toBe(true);
    expect(recorder.events).toEqual([
      eventOf('1', { level: 'Request', annotations: { 'audit.k8s.io/truncated': 'true' } }),
    ]);
  });

  it('drops an event that is too large even without its objects', () => {
    const { recorder, losses, backend } = start(SIZE + 10);
    backend.process([eventOf('1', { userAgent: 'x'.repeat(500) }), eventOf('2')]);
    expect(recorder.ids).toEqual([['2']]);
    expect(losses).toEqual([['truncate', 'event is too large even after truncating', ['1']]]);
  });

  it('splits a batch that is too large, and reports whether all its events were stored', async () => {
    const outcomes = [true, false, true];
    const { recorder, backend } = start(SIZE, SIZE * 2, () => Promise.resolve(outcomes.shift() ?? true));
    expect(await backend.process(['1', '2', '3', '4', '5'].map((id) => eventOf(id)))).toBe(false);
    expect(recorder.ids).toEqual([['1', '2'], ['3', '4'], ['5']]);
  });
});
