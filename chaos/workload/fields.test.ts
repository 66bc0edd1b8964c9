import { describe, expect, it } from 'vitest';
import { ABSENT, MOST, fieldsOf, manifestOf, orBlank, patchOf } from './fields.ts';

describe('fieldsOf', () => {
  it('reads enumerations, booleans and bounds from the schema', () => {
    expect(fieldsOf('batch/cronjobs', 'spec')).toMatchObject({
      'spec.concurrencyPolicy': [ABSENT, ABSENT, ABSENT, 'Allow', 'Forbid', 'Replace'],
      'spec.suspend': [ABSENT, ABSENT, true, false],
      'spec.startingDeadlineSeconds': [ABSENT, ABSENT, ABSENT, 0, 1, MOST],
    });
  });

  it('omits free strings and structs', () => {
    expect(Object.keys(fieldsOf('batch/cronjobs', 'spec'))).not.toEqual(
      expect.arrayContaining(['spec.schedule', 'spec.jobTemplate']),
    );
  });

  it('replaces the values of a given field and omits a field without values', () => {
    const fields = fieldsOf('batch/jobs', 'spec', { 'spec.backoffLimit': [2], 'spec.suspend': [] });
    expect(fields['spec.backoffLimit']).toEqual([2]);
    expect(fields).not.toHaveProperty(['spec.suspend']);
  });

  it.each([
    ['batch/nothing', 'spec', '"batch/nothing" is not a known resource: expected one such as "batch/jobs"'],
    ['batch/jobs', 'spec.nothing', 'batch/jobs has no field "nothing": expected a field of its schema'],
  ])('rejects %s with the path %s', (resource, at, message) => {
    expect(() => fieldsOf(resource, at)).toThrow(expect.objectContaining({ code: 'ERR_WORKLOAD', message }));
  });
});

describe('chosen fields', () => {
  const chosen = {
    'spec.suspend': true,
    'spec.template.metadata.labels.a': 'b',
    'spec.backoffLimit': ABSENT,
  };

  it('are missing from a manifest if the chosen value is ABSENT', () => {
    expect(manifestOf({ spec: { parallelism: 1 } }, chosen)).toEqual({
      spec: { parallelism: 1, suspend: true, template: { metadata: { labels: { a: 'b' } } } },
    });
  });

  it('are removed by a patch if the chosen value is ABSENT', () => {
    expect(patchOf(chosen)).toEqual({
      spec: { suspend: true, template: { metadata: { labels: { a: 'b' } } }, backoffLimit: null },
    });
  });
});

describe('the values of a text field', () => {
  it('include the blank and the absent one once', () => {
    expect(orBlank(['a', 'a'])).toEqual(['a', 'a', '', ABSENT]);
    expect(orBlank([ABSENT, 'a', ABSENT])).toEqual([ABSENT, 'a', ABSENT, '']);
  });
});
