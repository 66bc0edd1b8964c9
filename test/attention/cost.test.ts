import { expect, it } from 'vitest';
import { persistentVolumeClaims } from '../../api/groups/core-v1-storage.ts';
import { configMaps, pods } from '../../api/groups/core-v1.ts';
import { builtinKinds } from '../../api/groups/index.ts';
import type { ApiObject } from '../../api/kinds/kind.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { toTime } from '../../base/clock/index.ts';
import { createMetrics } from '../../base/metrics/metrics.ts';
import { attentionRules } from '../../controllers/attention/index.ts';
import type { Informer } from '../../runtime/informer/informer.ts';
import { createAttentionList, createJournal } from '../../runtime/index.ts';
import { createHandFedInformers } from '../hand-fed-informers.ts';

const OBJECTS = 400;
const START = Date.UTC(2026, 0, 1);
const names = Array.from({ length: OBJECTS }, (_, at) => `object-${at}`);
const deleted = { namespace: 'team', deletionTimestamp: toTime(START) };

function setUp() {
  const clock = createSimulatedClock(START + 3_600_000);
  const fed = createHandFedInformers();
  const kinds = [configMaps, persistentVolumeClaims, pods];
  const all = () => kinds.map((kind) => fed.informers.of(kind as never)) as Informer<ApiObject>[];
  const list = createAttentionList({
    rules: attentionRules,
    informers: {
      ...fed.informers,
      all,
      health: () => [],
      name: 'informers',
      start: async () => {},
      stop: async () => {},
    },
    journal: createJournal({ clock }),
    scheme: createScheme(orchVocabulary, builtinKinds),
    clock,
    nowMs: () => clock.now(),
    kindOfKeys: () => undefined,
    metrics: createMetrics(),
  });
  fed.fill();
  return { fed, list };
}

it('the list reads each possible dependent a bounded number of times, however many owners wait', () => {
  const { fed, list } = setUp();
  let reads = 0;
  for (const name of names) {
    const metadata = { ...deleted, name, uid: name, finalizers: ['foregroundDeletion'] };
    fed.apply(configMaps, { metadata });
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name, uid: name, blockOwnerDeletion: true };
    fed.apply(configMaps, {
      metadata: {
        name: `${name}-dependent`,
        namespace: 'team',
        get ownerReferences() {
          reads += 1;
          return [owner];
        },
      },
    });
  }
  const items = list.items();
  expect(items).toHaveLength(OBJECTS);
  expect(new Set(items.map(({ blocker }) => blocker?.name)).size).toBe(OBJECTS);
  expect(reads).toBeLessThanOrEqual(2 * OBJECTS);
});

it('the list reads each pod a bounded number of times, however many claims wait', () => {
  const { fed, list } = setUp();
  let reads = 0;
  for (const name of names) {
    fed.apply(persistentVolumeClaims, {
      metadata: { ...deleted, name, uid: name, finalizers: ['orch.io/pvc-protection'] },
    } as never);
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: name } }];
    fed.apply(pods, {
      metadata: { name: `user-of-${name}`, namespace: 'team' },
      get spec() {
        reads += 1;
        return { volumes };
      },
    } as never);
  }
  const items = list.items();
  expect(items.map(({ blocker }) => blocker?.name).toSorted()).toEqual(
    names.map((name) => `user-of-${name}`).toSorted(),
  );
  expect(reads).toBeLessThanOrEqual(2 * OBJECTS);
});
