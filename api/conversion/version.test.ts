import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { context, created, decoded, row, texts, updated } from '../groups/fixture.ts';
import {
  builtinKinds,
  cronJobs,
  cronJobsV1beta1,
  endpointSlices,
  endpointSlicesV1beta1,
  events,
  eventsV1,
  priorityLevelConfigurationsV1beta1,
} from '../groups/index.ts';
import { shaped } from '../groups/shaped.fixture.ts';
import type { ApiObject, DeepReadonly, Kind } from '../kinds/kind.ts';
import { DecodeError, decode } from '../schema/decode.ts';
import type { Endpoint as OldEndpoint } from '../types/discovery-v1beta1.ts';

/**
 * All versions except those of HorizontalPodAutoscalers, which cannot express many invalid objects. They are
 * tested in `groups/autoscaling`.
 */
const versions = builtinKinds.filter(
  ({ storage, group }) => storage !== undefined && group !== 'autoscaling',
) as unknown as readonly Kind[];

const canonical = (kind: Pick<Kind, 'schema'>, object: unknown): ApiObject =>
  decode<ApiObject>(kind.schema, JSON.parse(JSON.stringify(object))).value;

/** Converts an object and removes its kind and apiVersion. */
function converted(version: Kind, direction: 'toStorage' | 'fromStorage', object: ApiObject): ApiObject {
  const { storage } = version;
  if (storage === undefined) throw new Error('expected a version that is not the one stored');
  const to = direction === 'toStorage' ? (storage.kind as unknown as Kind) : version;
  return canonical(to, storage[direction](object as DeepReadonly<never>, context));
}

/** Runs `check` on generated objects of the schema, except objects that cannot be decoded. */
function forObjects(schema: Kind['schema'], check: (object: ApiObject) => void): void {
  fc.assert(
    fc.property(shaped(schema, 6), (body) => {
      try {
        check(canonical({ schema }, body));
      } catch (thrown) {
        if (!(thrown instanceof DecodeError)) throw thrown;
      }
    }),
    { numRuns: 100 },
  );
}

describe.each(versions.map((kind) => [`${kind.group}/${kind.version} ${kind.kind}`, kind] as const))(
  '%s',
  (_name, version) => {
    const stored = version.storage?.kind as unknown as Kind;

    it('loses nothing when a stored object is read and written back', () => {
      forObjects(stored.schema, (object) => {
        const there = converted(version, 'fromStorage', object);
        expect(converted(version, 'toStorage', there)).toEqual(object);
      });
    });

    it('loses nothing when an object is stored and read again', () => {
      forObjects(version.schema, (object) => {
        const once = converted(version, 'fromStorage', converted(version, 'toStorage', object));
        const twice = converted(version, 'fromStorage', converted(version, 'toStorage', once));
        expect(twice).toEqual(once);
        if (stored !== (endpointSlices as unknown)) expect(once).toEqual(object);
      });
    });

    it('leaves its argument unchanged', () => {
      forObjects(version.schema, (object) => {
        const before = JSON.stringify(object);
        converted(version, 'toStorage', object);
        expect(JSON.stringify(object)).toBe(before);
      });
    });

    it('is stored as a kind that is its own stored version', () => {
      expect(stored.storage).toBeUndefined();
      expect(builtinKinds).toContain(stored);
    });
  },
);

describe('a version other than the stored version', () => {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
  const body = (spec: object = {}) => ({
    metadata: { name: 'cj', namespace: 'd', resourceVersion: '1' },
    spec: { schedule: '* * * * *', jobTemplate: { spec: { template } }, ...spec },
  });

  it('has the defaults of the stored version', () => {
    expect(decoded(cronJobsV1beta1, body())).toEqual(decoded(cronJobs, body()));
  });

  it('has the validation rules of the stored version', () => {
    const wrong = body({ schedule: 'never', concurrencyPolicy: 'Maybe' });
    const { errors } = created(cronJobsV1beta1, wrong);
    expect(errors).not.toEqual([]);
    expect(errors).toEqual(created(cronJobs, wrong).errors);
  });

  it('restores immutable fields in updates of the object and its subresource', () => {
    const { object } = created(cronJobsV1beta1, body());
    const main = updated(cronJobsV1beta1, object, (draft) => {
      draft.status = { lastScheduleTime: '2024-01-01T00:00:00Z' };
    });
    expect(main.object.status?.lastScheduleTime).toBeUndefined();
    const status = updated(
      cronJobsV1beta1,
      object,
      (draft) => {
        draft.status = { lastScheduleTime: '2024-01-01T00:00:00Z' };
        if (draft.spec) draft.spec.schedule = '5 * * * *';
      },
      'status',
    );
    expect(status.object).toMatchObject({
      spec: { schedule: '* * * * *' },
      status: { lastScheduleTime: '2024-01-01T00:00:00Z' },
    });
  });

  it('shows the columns of the stored version in its row', () => {
    const level = decoded(priorityLevelConfigurationsV1beta1, {
      metadata: { name: 'l' },
      spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
    });
    expect(row(priorityLevelConfigurationsV1beta1, level)).toMatchObject({
      Type: 'Limited',
      AssuredConcurrencyShares: 30,
    });
  });
});

describe('an Event of the group events', () => {
  const event = decoded(eventsV1, {
    metadata: { name: 'e', namespace: 'd' },
    regarding: { kind: 'Pod', name: 'p', namespace: 'd' },
    note: 'said',
    deprecatedSource: { component: 'c', host: 'h' },
    deprecatedFirstTimestamp: '2024-01-01T00:00:00Z',
    deprecatedLastTimestamp: '2024-01-01T00:01:00Z',
    deprecatedCount: 3,
    reportingController: 'r',
  });

  it('is stored as a core Event with other field names', () => {
    const stored = converted(eventsV1 as unknown as Kind, 'toStorage', event);
    expect(stored).toMatchObject({
      involvedObject: { kind: 'Pod', name: 'p', namespace: 'd' },
      message: 'said',
      source: { component: 'c', host: 'h' },
      firstTimestamp: '2024-01-01T00:00:00Z',
      lastTimestamp: '2024-01-01T00:01:00Z',
      count: 3,
      reportingComponent: 'r',
    });
    expect(row(events, stored as never)).toEqual(row(eventsV1, event));
  });
});

describe('an endpoint of an EndpointSlice at v1beta1', () => {
  const ZONE = 'topology.orch.io/zone';
  const HOST = 'orch.io/hostname';
  const stored = (endpoint: object) => {
    const slice = converted(endpointSlicesV1beta1 as unknown as Kind, 'toStorage', {
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.0.0.1'], conditions: {}, ...endpoint }],
      ports: [],
    } as ApiObject);
    return (slice as { endpoints?: Record<string, unknown>[] }).endpoints?.[0];
  };
  const read = (endpoint: object): OldEndpoint | undefined => {
    const slice = converted(endpointSlicesV1beta1 as unknown as Kind, 'fromStorage', {
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.0.0.1'], conditions: {}, ...endpoint }],
      ports: [],
    } as ApiObject);
    return (slice as { endpoints?: OldEndpoint[] }).endpoints?.[0];
  };

  it('is stored with its zone in a field instead of the topology', () => {
    const endpoint = stored({ topology: { [ZONE]: 'z', x: 'y' } });
    expect(endpoint).toMatchObject({ zone: 'z', deprecatedTopology: { x: 'y' } });
  });

  it('is stored without the node name in its topology, and without an empty topology', () => {
    const endpoint = stored({ nodeName: 'n', topology: { [ZONE]: 'z', [HOST]: 'n' } });
    expect(endpoint).toMatchObject({ zone: 'z', nodeName: 'n' });
    expect(endpoint).not.toHaveProperty('deprecatedTopology');
  });

  it('is stored with a host name that differs from the node name', () => {
    expect(stored({ nodeName: 'n', topology: { [HOST]: 'other' } })).toMatchObject({
      nodeName: 'n',
      deprecatedTopology: { [HOST]: 'other' },
    });
  });

  it('is read with zone and node name as labels', () => {
    expect(read({ nodeName: 'n', zone: 'z' })?.topology).toEqual({ [ZONE]: 'z', [HOST]: 'n' });
    expect(read({ nodeName: 'n', deprecatedTopology: { [HOST]: 'other' } })?.topology).toEqual({
      [HOST]: 'other',
    });
    expect(read({})).not.toHaveProperty('topology');
  });

  it('is rejected with the error messages of the stored version', () => {
    const { errors } = created(endpointSlicesV1beta1, {
      metadata: { name: 's', namespace: 'd' },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['x'], topology: { '-': 'y' } }],
    });
    expect(texts(errors).map((text) => text.split(':')[0])).toEqual([
      'endpoints[0].addresses[0]',
      'endpoints[0].addresses[0]',
      'endpoints[0].deprecatedTopology',
    ]);
  });
});
