import { describe, expect, it } from 'vitest';
import {
  apiServices,
  configMaps,
  cronJobs,
  cronJobsV1beta1,
  deployments,
  endpoints,
  ingresses,
  nodes,
  services,
} from '../../../api/groups/index.ts';
import type { Kind } from '../../../api/kinds/kind.ts';
import { kubernetesVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { upstreamKey } from './uid-precondition.ts';

describe("upstream's storage key", () => {
  it.each([
    [configMaps, '/registry/configmaps/team/a'],
    [deployments, '/registry/deployments/team/a'],
    [cronJobs, '/registry/cronjobs/team/a'],
    [cronJobsV1beta1, '/registry/cronjobs/team/a'],
    [services, '/registry/services/specs/team/a'],
    [endpoints, '/registry/services/endpoints/team/a'],
    [ingresses, '/registry/ingress/team/a'],
    [nodes, '/registry/minions/a'],
    [apiServices, '/registry/apiregistration.k8s.io/apiservices/a'],
  ] as unknown as readonly [Kind, string][])('for $plural is %s', (kind, key) => {
    const { group, plural } = kind;
    const name = { group: kubernetesVocabulary.group(group), resource: plural };
    expect(upstreamKey({ kind, name }, 'team', 'a')).toBe(key);
  });

  it('contains the group of a custom resource', () => {
    const kind = { ...configMaps, group: 'example.com', plural: 'widgets' } as unknown as Kind;
    const custom = { ...kind, schema: { ...kind.schema, root: {} } } as unknown as Kind;
    const name = { group: 'example.com', resource: 'widgets' };
    expect(upstreamKey({ kind: custom, name }, 'team', 'a')).toBe('/registry/example.com/widgets/team/a');
  });
});
