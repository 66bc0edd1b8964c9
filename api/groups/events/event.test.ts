import { describe, expect, it } from 'vitest';
import { created, row, texts, updated } from '../fixture.ts';
import { eventsV1 } from '../events-v1.ts';
import { eventsV1beta1 } from '../events-v1beta1.ts';

const event = (changes: object = {}) => ({
  metadata: { name: 'e', namespace: 'd', resourceVersion: '1' },
  eventTime: '2024-01-01T00:00:00.000000Z',
  reportingController: 'a.b/c',
  reportingInstance: 'i',
  action: 'Do',
  reason: 'Because',
  type: 'Normal',
  note: 'said',
  regarding: { kind: 'Pod', name: 'p', namespace: 'd' },
  ...changes,
});
const errorsOf = (changes: object) => texts(created(eventsV1, event(changes)).errors);

describe('a new Event of the group events', () => {
  it('requires an action, a time and a reporter', () => {
    expect(created(eventsV1, event()).errors).toEqual([]);
    expect(errorsOf({ reportingController: '', reportingInstance: '', action: '', reason: '' })).toEqual([
      'reportingController: Required value',
      expect.stringContaining('reportingController: Invalid value: "": name part must be non-empty'),
      expect.stringContaining('reportingController: Invalid value: "": name part must consist of'),
      'reportingInstance: Required value',
      'action: Required value',
      'reason: Required value',
    ]);
  });

  it('requires a known type and rejects deprecated fields', () => {
    expect(
      errorsOf({
        eventTime: null,
        type: 'Odd',
        deprecatedFirstTimestamp: '2024-01-01T00:00:00Z',
        deprecatedLastTimestamp: '2024-01-01T00:00:00Z',
        deprecatedCount: 1,
        deprecatedSource: { component: 'c' },
      }),
    ).toEqual([
      'eventTime: Required value',
      'type: Invalid value: "": has invalid value: Odd',
      'firstTimestamp: Invalid value: "": needs to be unset',
      'lastTimestamp: Invalid value: "": needs to be unset',
      'count: Invalid value: "": needs to be unset',
      'source: Invalid value: "": needs to be unset',
    ]);
  });

  it('requires a count of two or more in a series', () => {
    expect(errorsOf({ series: { count: 1, lastObservedTime: null } })).toEqual([
      'series.count: Invalid value: "": should be at least 2',
      'series.lastObservedTime: Required value',
    ]);
  });

  it('is in the namespace default or system if its object is cluster-scoped', () => {
    const about = (namespace: string) =>
      errorsOf({ metadata: { name: 'e', namespace }, regarding: { kind: 'Node', name: 'n' } });
    expect(about('default')).toEqual([]);
    expect(about('orch-system')).toEqual([]);
    expect(about('d')).toEqual([
      'involvedObject.namespace: Invalid value: "": does not match event.namespace',
    ]);
  });
});

describe('an update of an Event of the group events', () => {
  it('may change only the series', () => {
    const { object } = created(eventsV1, event());
    const more = updated(eventsV1, object, (draft) => {
      draft.series = { count: 2, lastObservedTime: '2024-01-01T00:01:00.000000Z' };
    });
    expect(more.errors).toEqual([]);
    const other = updated(eventsV1, object, (draft) => {
      draft.note = 'other';
      draft.reportingController = 'd.e/f';
    });
    expect(texts(other.errors)).toEqual([
      'message: Invalid value: "other": field is immutable',
      'reportingController: Invalid value: "d.e/f": field is immutable',
    ]);
  });
});

it('an Event of v1beta1 is accepted without a time', () => {
  const body = event({ eventTime: null, type: 'Odd', deprecatedCount: 2 });
  expect(created(eventsV1beta1, body).errors).toEqual([]);
});

it('an Event has the same row and selectable fields in both groups', () => {
  const { object } = created(eventsV1, event());
  expect(row(eventsV1, object)).toMatchObject({ Type: 'Normal', Object: 'pod/p', Message: 'said' });
  const fields = Object.entries(eventsV1.selectableFields).map(([path, read]) => [
    path,
    read(object as never),
  ]);
  expect(Object.fromEntries(fields)).toMatchObject({
    'regarding.name': 'p',
    reportingController: 'a.b/c',
    reason: 'Because',
  });
});
