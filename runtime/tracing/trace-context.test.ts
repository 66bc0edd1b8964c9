import { describe, expect, it } from 'vitest';
import { createSpanIds, parseTraceparent, traceparent } from './trace-context.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const span = '00f067aa0ba902b7';

describe('parseTraceparent', () => {
  it.each([
    [`00-${trace}-${span}-01`, true],
    [`00-${trace}-${span}-00`, true],
    [`01-${trace}-${span}-01-more`, true],
    [`00-${trace}-${span}-01-more`, false],
    [`ff-${trace}-${span}-01`, false],
    [`00-${'0'.repeat(32)}-${span}-01`, false],
    [`00-${trace}-${'0'.repeat(16)}-01`, false],
    [`00-${trace.toUpperCase()}-${span}-01`, false],
    ['', false],
  ])('accepts %j as the recommendation does: %s', (header, valid) => {
    expect(parseTraceparent(header)).toEqual(valid ? { traceId: trace, spanId: span } : undefined);
  });
});

describe('createSpanIds', () => {
  it('returns the same identifiers for a reconcile, and others for another process', () => {
    const [one, other] = [createSpanIds('a'), createSpanIds('b')];
    const effect = one.ofEffect('job-1', 'observe');
    expect(parseTraceparent(traceparent(effect))).toEqual(effect);
    expect(one.ofEffect('job-1', 'observe')).toEqual(effect);
    expect(one.ofReconcile('job-1').traceId).toBe(effect.traceId);
    expect(one.ofReconcile('job-2').traceId).not.toBe(effect.traceId);
    expect(other.ofReconcile('job-1').traceId).not.toBe(effect.traceId);
  });
});
