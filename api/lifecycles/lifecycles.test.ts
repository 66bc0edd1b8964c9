import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { manifests } from '../../controllers/manifests.ts';
import { toTime } from '../../base/clock/index.ts';
import { context, created, NOW_MS } from '../groups/fixture.ts';
import { builtinKinds } from '../groups/index.ts';
import { shaped } from '../groups/shaped.fixture.ts';
import type { ApiObject, Kind } from '../kinds/kind.ts';
import { DecodeError } from '../schema/decode.ts';
import {
  ABSENT,
  DELETED,
  type Lifecycle,
  OTHER_ACTORS,
  lifecycles,
  originsOf,
  projected,
  transitionOf,
} from './index.ts';

const named = (id: string): Lifecycle => {
  const found = lifecycles.find((each) => each.id === id);
  if (found === undefined) throw new Error(`no lifecycle ${id}`);
  return found;
};

const kindsOf = ({ kind }: Lifecycle): readonly Kind[] =>
  (builtinKinds as readonly unknown[] as readonly Kind[]).filter(
    ({ group, plural }) => kind === undefined || (group === kind.group && plural === kind.plural),
  );

const MINUTE = 60_000;
const inMinutes = (minutes: number): string => toTime(NOW_MS + minutes * MINUTE);
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const { secretTypes } = context.vocabulary;
const conditions = (...types: readonly string[]) => types.map((type) => ({ type, status: 'True' }));
const cronJob = (spec: object, status: object = {}) => ({
  metadata: { creationTimestamp: inMinutes(-30) },
  spec: { schedule: '0 * * * *', ...spec },
  status,
});
const active = [{ name: 'run' }];
const lease = (holderIdentity: string, renewed: number) => ({
  spec: { holderIdentity, leaseDurationSeconds: 60, renewTime: inMinutes(renewed) },
});
const bootstrapToken = (expiration?: string) => ({
  type: secretTypes.bootstrapToken,
  data: expiration === undefined ? {} : { expiration: base64(expiration) },
});
const tokenSecret = (rest: object) => ({ type: secretTypes.serviceAccountToken, ...rest });
const invalidSince = {
  metadata: { labels: { [context.vocabulary.key('', 'legacy-token-invalid-since')]: 'x' } },
};

/** Lifecycle, object and its state at `NOW_MS`, which is 03:04:05. */
const STATES: readonly (readonly [id: string, object: object, state: string])[] = [
  ['deletion', {}, 'Live'],
  ['deletion', { metadata: { finalizers: ['a/b'] } }, 'Live'],
  ['deletion', { metadata: { deletionTimestamp: inMinutes(-1) } }, 'Terminating'],
  ['deletion', { metadata: { deletionTimestamp: inMinutes(1) } }, 'Terminating'],
  ['certificate-request', {}, 'Pending'],
  ['certificate-request', { status: { conditions: [{ type: 'Other', status: 'True' }] } }, 'Pending'],
  ['certificate-request', { status: { conditions: conditions('Approved') } }, 'Approved'],
  ['certificate-request', { status: { conditions: conditions('Denied') } }, 'Denied'],
  ['certificate-request', { status: { conditions: conditions('Denied', 'Failed') } }, 'Denied'],
  ['certificate-request', { status: { conditions: conditions('Approved', 'Failed') } }, 'Failed'],
  ['certificate-request', { status: { conditions: conditions('Approved'), certificate: 'x' } }, 'Issued'],
  ['bootstrap-token', bootstrapToken(), 'Valid'],
  ['bootstrap-token', bootstrapToken(inMinutes(1)), 'Valid'],
  ['bootstrap-token', bootstrapToken(inMinutes(0)), 'Expired'],
  ['bootstrap-token', bootstrapToken('soon'), 'Expired'],
  ['token-secret', tokenSecret({}), 'Unfilled'],
  ['token-secret', tokenSecret({ data: { token: 'x' } }), 'Filled'],
  ['token-secret', tokenSecret({ data: { token: 'x' }, ...invalidSince }), 'Invalid'],
  ['namespace', {}, 'Active'],
  ['namespace', { metadata: { deletionTimestamp: inMinutes(0) } }, 'Terminating'],
  ['cron-job', cronJob({}, { lastScheduleTime: inMinutes(-4) }), 'Waiting'],
  ['cron-job', cronJob({ suspend: true }), 'Suspended'],
  ['cron-job', cronJob({}), 'Due'],
  ['cron-job', cronJob({}, { lastScheduleTime: inMinutes(-4), active }), 'Running'],
  ['cron-job', cronJob({}, { active }), 'Due'],
  ['cron-job', cronJob({ concurrencyPolicy: 'Forbid' }, { active }), 'Blocked'],
  ['cron-job', cronJob({ startingDeadlineSeconds: 10 }), 'Missed'],
  ['cron-job', cronJob({ startingDeadlineSeconds: 3_600 }), 'Due'],
  ['cron-job', cronJob({ startingDeadlineSeconds: 10 }, { active }), 'Running'],
  ['cron-job', cronJob({ schedule: '0 0 31 2 *' }), 'NeverDue'],
  ['cron-job', cronJob({ schedule: 'soon' }), 'NeverDue'],
  ['cron-job', cronJob({ timeZone: 'Mars/Base' }), 'NeverDue'],
  ['job', {}, 'Pending'],
  ['job', { spec: { suspend: true }, status: { startTime: inMinutes(-1) } }, 'Suspended'],
  ['job', { status: { startTime: inMinutes(-1) } }, 'Running'],
  ['job', { spec: { suspend: true }, status: { conditions: conditions('Complete') } }, 'Complete'],
  ['job', { status: { conditions: conditions('Failed') } }, 'Failed'],
  ['job', { status: { conditions: [{ type: 'Failed', status: 'False' }] } }, 'Pending'],
  ['pod', {}, 'Unscheduled'],
  ['pod', { status: { phase: 'Pending' }, spec: { nodeName: 'n' } }, 'Scheduled'],
  ['pod', { status: { phase: 'Running' } }, 'Running'],
  ['pod', { status: { phase: 'Succeeded' } }, 'Succeeded'],
  ['pod', { status: { phase: 'Failed' } }, 'Failed'],
  ['pod', { status: { phase: 'Unknown' } }, 'Unknown'],
  ['pod', { status: { phase: 'other' } }, 'Unscheduled'],
  ['persistent-volume-claim', {}, 'Pending'],
  ['persistent-volume-claim', { status: { phase: 'Bound' } }, 'Bound'],
  ['persistent-volume-claim', { status: { phase: 'Lost' } }, 'Lost'],
  ['persistent-volume', { status: { phase: 'Pending' } }, 'Pending'],
  ['persistent-volume', { status: { phase: 'Available' } }, 'Available'],
  ['persistent-volume', { status: { phase: 'Bound' } }, 'Bound'],
  ['persistent-volume', { status: { phase: 'Released' } }, 'Released'],
  ['persistent-volume', { status: { phase: 'Failed' } }, 'Failed'],
  ['custom-resource-definition', {}, 'New'],
  ['custom-resource-definition', { status: { conditions: conditions('NamesAccepted') } }, 'NamesAccepted'],
  [
    'custom-resource-definition',
    { status: { conditions: [{ type: 'NamesAccepted', status: 'False' }] } },
    'NamesRefused',
  ],
  [
    'custom-resource-definition',
    { status: { conditions: conditions('NamesAccepted', 'Established') } },
    'Established',
  ],
  [
    'custom-resource-definition',
    { metadata: { deletionTimestamp: inMinutes(0) }, status: { conditions: conditions('Established') } },
    'Terminating',
  ],
  ['api-service', {}, 'Unchecked'],
  ['api-service', { status: { conditions: conditions('Available') } }, 'Available'],
  ['api-service', { status: { conditions: [{ type: 'Available', status: 'False' }] } }, 'Unavailable'],
  ['flow-schema', {}, 'Unchecked'],
  ['flow-schema', { status: { conditions: conditions('Dangling') } }, 'Dangling'],
  ['flow-schema', { status: { conditions: [{ type: 'Dangling', status: 'False' }] } }, 'Effective'],
  ['lease', { spec: { renewTime: inMinutes(0) } }, 'Free'],
  ['lease', lease('a', 0), 'Held'],
  ['lease', lease('a', -2), 'Expired'],
  ['lease', { spec: { holderIdentity: 'a' } }, 'Expired'],
];

describe('stateOf', () => {
  it.each(STATES)('projects with the lifecycle %s the object %j to %s', (id, object, state) => {
    expect(projected(named(id), object as ApiObject as never, context)).toBe(state);
  });

  it('is tested for every state', () => {
    const untested = lifecycles.flatMap(({ id, states }) =>
      Object.keys(states).filter((state) => !STATES.some((row) => row[0] === id && row[2] === state)),
    );
    expect(untested).toEqual([]);
  });
});

describe('projected', () => {
  it('returns absent without an object', () => {
    expect(projected(named('pod'), undefined, context)).toBe(ABSENT);
  });

  it('returns undefined for a Secret of another type', () => {
    const secret = { type: 'Opaque' } as ApiObject as never;
    expect(lifecycles.filter(({ kind }) => kind?.plural === 'secrets')).toHaveLength(2);
    for (const id of ['bootstrap-token', 'token-secret'])
      expect(projected(named(id), secret, context)).toBeUndefined();
  });
});

describe('transitionOf', () => {
  it('returns the transition that an actor may take', () => {
    expect(transitionOf(named('certificate-request'), 'Approved', 'Issued', 'csrsigning')?.reason).toBe(
      'its signer issues the certificate',
    );
  });

  it.each([
    ['certificate-request', 'Denied', 'Issued', 'csrsigning'],
    ['certificate-request', 'Approved', 'Issued', 'csrcleaner'],
    ['certificate-request', 'Approved', 'Denied', 'user'],
    ['bootstrap-token', 'Valid', DELETED, 'tokencleaner'],
    ['bootstrap-token', ABSENT, DELETED, 'user'],
    ['deletion', 'Terminating', 'Live', 'user'],
    ['job', 'Complete', 'Running', 'job'],
    ['lease', 'Held', 'Expired', 'clock'],
  ])('knows for %s from %s to %s by %s only what is declared', (id, from, to, actor) => {
    const isClock = actor === 'clock';
    expect(transitionOf(named(id), from, to, actor) !== undefined).toBe(isClock);
  });

  it('lets a user act as a component without a controller', () => {
    expect(transitionOf(named('pod'), 'Scheduled', 'Running', 'user')).toBeDefined();
    expect(transitionOf(named('pod'), 'Scheduled', 'Running', 'job')).toBeUndefined();
  });
});

describe.each(lifecycles.map((lifecycle) => [lifecycle.id, lifecycle] as const))(
  'the lifecycle %s',
  (_id, lifecycle) => {
    const states = Object.keys(lifecycle.states);

    it('names a built-in kind', () => {
      expect(kindsOf(lifecycle).map(({ kind }) => kind)).toContain(lifecycle.kind?.kind ?? 'ConfigMap');
    });

    it('has transitions between its states, each by known actors', () => {
      const names: readonly string[] = [...OTHER_ACTORS, ...manifests.map(({ name }) => name)];
      for (const transition of lifecycle.transitions) {
        expect([...states, DELETED]).toContain(transition.to);
        for (const from of originsOf(lifecycle, transition)) expect([ABSENT, ...states]).toContain(from);
        expect(transition.by.filter((actor) => !names.includes(actor))).toEqual([]);
        expect(transition.by).not.toEqual([]);
        expect(transition.reason).toMatch(/^[a-z][^.*]+[^.*]$/);
      }
    });

    it('reaches every state and the deletion from its creation', () => {
      const reached = new Set<string>([ABSENT]);
      for (const state of reached)
        for (const transition of lifecycle.transitions)
          if (originsOf(lifecycle, transition).includes(state)) reached.add(transition.to);
      expect([...reached].toSorted()).toEqual([ABSENT, DELETED, ...states].toSorted());
    });

    it('projects every decoded object to one of its states', () => {
      const kinds = lifecycle.kind === undefined ? kindsOf(lifecycle).slice(0, 5) : kindsOf(lifecycle);
      for (const kind of kinds)
        fc.assert(
          fc.property(shaped(kind.schema, 7), (body) => {
            let object: ApiObject;
            try {
              object = created(kind, body).object;
              object = { ...object, ...(body as object | null), metadata: object.metadata ?? {} };
            } catch (thrown) {
              if (thrown instanceof DecodeError) return;
              throw thrown;
            }
            expect(states).toContain(lifecycle.stateOf(object as never, context));
          }),
          { numRuns: 100 },
        );
    });
  },
);
