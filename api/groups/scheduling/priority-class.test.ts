import { describe, expect, it } from 'vitest';
import { created, row, texts, updated } from '../fixture.ts';
import { runtimeClasses } from '../node-v1.ts';
import { priorityClasses } from '../scheduling-v1.ts';

const make = (name: string, value: number, fields: object = {}) =>
  created(priorityClasses, { metadata: { name, resourceVersion: '1' }, value, ...fields });

describe('a PriorityClass', () => {
  it('preempts by default', () => {
    const { object, errors } = make('high', 1000);
    expect(errors).toEqual([]);
    expect(object.preemptionPolicy).toBe('PreemptLowerPriority');
    expect(row(priorityClasses, object)).toMatchObject({ Value: 1000, 'Global-Default': false });
  });

  it('has a maximum value unless it is a system class', () => {
    expect(texts(make('high', 1_000_000_001).errors)).toEqual([
      'value: Forbidden: maximum allowed value of a user defined priority is 1000000000',
    ]);
  });

  it("with a system name must equal the system's PriorityClass", () => {
    expect(make('system-node-critical', 2_000_001_000).errors).toEqual([]);
    const reserved = "priority class names with 'system-' prefix are reserved for system use only. error:";
    expect(texts(make('system-mine', 1).errors)).toEqual([
      `metadata.name: Forbidden: ${reserved} system-mine is not a known system priority class`,
    ]);
    expect(texts(make('system-node-critical', 1).errors)).toEqual([
      `metadata.name: Forbidden: ${reserved} value of system-node-critical PriorityClass must be 2000001000`,
    ]);
  });

  it('is rejected with an unknown preemption policy', () => {
    expect(texts(make('p', 1, { preemptionPolicy: 'Maybe' }).errors)).toEqual([
      'preemptionPolicy: Unsupported value: "Maybe": supported values: "PreemptLowerPriority", "Never"',
    ]);
  });

  it('has an immutable value', () => {
    const { errors } = updated(priorityClasses, make('p', 1).object, (draft) => {
      draft.value = 2;
      draft.preemptionPolicy = 'Never';
      draft.description = 'new';
    });
    expect(texts(errors)).toEqual([
      'Value: Forbidden: may not be changed in an update.',
      'preemptionPolicy: Invalid value: "Never": field is immutable',
    ]);
  });
});

describe('a RuntimeClass', () => {
  const runtime = (fields: object) => created(runtimeClasses, { metadata: { name: 'r' }, ...fields });

  it('requires a handler, which is immutable', () => {
    const { object, errors } = runtime({ handler: 'runc' });
    expect(errors).toEqual([]);
    expect(row(runtimeClasses, object)).toMatchObject({ Handler: 'runc' });
    const change = updated(runtimeClasses, object, (draft) => void (draft.handler = 'kata'));
    expect(texts(change.errors)).toEqual(['handler: Invalid value: "kata": field is immutable']);
    expect(texts(runtime({ handler: 'A_b' }).errors)[0]).toContain('a lowercase RFC 1123 label');
  });

  it('is rejected with invalid overhead and repeated tolerations', () => {
    const toleration = { key: 'a', operator: 'Exists' };
    const { errors } = runtime({
      handler: 'h',
      overhead: { podFixed: { cpu: '-1' } },
      scheduling: { tolerations: [toleration, toleration] },
    });
    expect(texts(errors)).toEqual([
      'overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
      'scheduling.tolerations[1]: Duplicate value: core.Toleration{Key:"a", Operator:"Exists", Value:"", Effect:"", TolerationSeconds:(*int64)(nil)}',
    ]);
  });
});
