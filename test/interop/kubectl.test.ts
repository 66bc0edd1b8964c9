import { afterAll, beforeAll, describe, vi } from 'vitest';
import { findKubectl } from './clients.ts';
import { type KubectlFixture, startKubectlFixture } from './kubectl.ts';
import { describeCreating, describeDiscovery, describeWriting } from './kubectl/objects.ts';
import { describeDeleting, describeReading } from './kubectl/reading.ts';
import {
  describeCertificates,
  describeInvalidManifests,
  describeNodes,
  describePermissions,
} from './kubectl/cluster.ts';

const kubectl = findKubectl('kubectl against the kubernetes vocabulary');

describe.skipIf(kubectl.missing)('kubectl', () => {
  let fixture: KubectlFixture;
  const k = (): KubectlFixture => fixture;
  beforeAll(async () => {
    fixture = await startKubectlFixture(kubectl.path);
    await vi.waitFor(() => fixture.run('get serviceaccount default'), { timeout: 60_000 });
  });
  afterAll(() => fixture?.close());

  describeDiscovery(k);
  describeWriting(k, kubectl);
  describeCreating(k);
  describeReading(k);
  describeDeleting(k);
  describeCertificates(k);
  describePermissions(k);
  describeNodes(k);
  describeInvalidManifests(k);
});
