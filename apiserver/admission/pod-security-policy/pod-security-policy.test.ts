import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../api/types/core-v1-pod.ts';
import type { PodSecurityPolicy, PodSecurityPolicySpec } from '../../../api/types/policy-v1beta1.ts';
import { kubernetesVocabulary as vocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { silentLogger } from '../../../base/log/logger.ts';
import { fixtureReader } from '../../authorization/reader.fixture.ts';
import type { AdmissionRequest, Attributes } from '../../request.ts';
import { admit } from '../request.fixture.ts';
import { ANYTHING } from './policy.fixture.ts';
import { createPodSecurityPolicy } from './pod-security-policy.ts';

const policy = (name: string, spec: Partial<PodSecurityPolicySpec> = {}): PodSecurityPolicy => ({
  metadata: { name },
  spec: { ...ANYTHING, ...spec },
});
const pod = (privileged = false, serviceAccountName = ''): Pod => ({
  metadata: { name: 'web' },
  spec: {
    containers: [{ name: 'c', ...(privileged && { securityContext: { privileged } }) }],
    ...(serviceAccountName !== '' && { serviceAccountName }),
  },
});

/** Starts the plugin. `may` lists permitted uses as `USER POLICY`; by default, alice may use all policies. */
function start(policies: readonly PodSecurityPolicy[], may?: readonly string[]) {
  const requested: Attributes[] = [];
  const audit: string[] = [];
  const plugin = createPodSecurityPolicy({
    vocabulary,
    policies: fixtureReader(policies),
    log: silentLogger,
    authorizer: {
      name: 'table',
      authorize: async (attributes) => {
        requested.push(attributes);
        const { user, group, name } = attributes;
        const isAllowed = may?.includes(`${user.username} ${group} ${name}`) ?? user.username === 'alice';
        return { verdict: isAllowed ? 'allow' : 'no-opinion', reason: '' };
      },
    },
  });
  const run = (object: Pod, over: Partial<AdmissionRequest> = {}): Promise<Pod> =>
    admit(plugin, { ...over, object, annotate: (key, value) => void audit.push(`${key}=${value}`) });
  return { run, requested, audit };
}
const usedBy = (given: Pod): string | undefined => given.metadata?.annotations?.['kubernetes.io/psp'];

const ROOTLESS: Partial<PodSecurityPolicySpec> = { runAsUser: { rule: 'MustRunAsNonRoot' } };

describe('PodSecurityPolicy', () => {
  it('rejects every pod while there is no policy', async () => {
    await expect(start([]).run(pod())).rejects.toMatchObject({
      code: 403,
      message: 'pods "web" is forbidden: PodSecurityPolicy: no providers available to validate pod request',
    });
  });

  it('admits a pod by the first policy by name that changes nothing, and annotates the pod', async () => {
    const { run, audit } = start([policy('c'), policy('b'), policy('a', ROOTLESS)]);
    const admitted = await run(pod());
    expect(usedBy(admitted)).toBe('b');
    expect(admitted.spec).toEqual(pod().spec);
    expect(audit).toEqual([
      'podsecuritypolicy.policy.k8s.io/admit-policy=b',
      'podsecuritypolicy.policy.k8s.io/validate-policy=b',
    ]);
  });

  it('admits a pod by the first policy that allows it with defaults, if no policy admits it unchanged', async () => {
    const { run } = start([policy('b', ROOTLESS), policy('a', { readOnlyRootFilesystem: true })]);
    const admitted = await run(pod());
    expect(usedBy(admitted)).toBe('a');
    expect(admitted.spec?.containers?.[0]?.securityContext).toEqual({ readOnlyRootFilesystem: true });
  });

  it("authorizes the account or the creator to use a policy in the pod's namespace", async () => {
    const account = 'system:serviceaccount:ns:builder';
    const { run, requested } = start([policy('p')], [`${account} policy p`]);
    expect(usedBy(await run(pod(false, 'builder')))).toBe('p');
    expect(requested[0]).toMatchObject({
      user: {
        username: account,
        groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
      },
      verb: 'use',
      group: 'policy',
      resource: 'podsecuritypolicies',
      namespace: 'ns',
      name: 'p',
    });
    await expect(run(pod())).rejects.toMatchObject({ code: 403 });
    const old = start([policy('p')], ['alice extensions p']);
    expect(usedBy(await old.run(pod()))).toBe('p');
  });

  it('returns the reasons why no policy allows a pod, but only of usable policies', async () => {
    const strict = { privileged: false };
    const { run } = start([policy('mine', strict), policy('secret', strict)], ['alice policy mine']);
    await expect(run(pod(true))).rejects.toMatchObject({
      code: 403,
      message:
        'pods "web" is forbidden: PodSecurityPolicy: unable to admit pod: [spec.containers[0].securityContext.privileged: Invalid value: true: Privileged containers are not allowed]',
    });
  });

  it('skips policies that contradict themselves', async () => {
    const broken = policy('a', { fsGroup: { rule: 'MustRunAs' } });
    expect(usedBy(await start([broken, policy('b')]).run(pod()))).toBe('b');
    await expect(start([broken]).run(pod())).rejects.toThrow('no providers available');
  });

  it('changes nothing on update, and rejects a pod that would need changes', async () => {
    const { run } = start([policy('a', ROOTLESS)]);
    const previous = { ...pod(), metadata: { name: 'web', labels: { a: 'b' } } };
    await expect(run(pod(), { operation: 'UPDATE', previous })).rejects.toMatchObject({
      message: 'pods "web" is forbidden: PodSecurityPolicy: unable to validate pod: []',
    });
  });

  it('checks ephemeral containers, and ignores other subresources', async () => {
    const { run } = start([policy('a', { privileged: false })]);
    const over = { operation: 'UPDATE' as const, previous: pod() };
    await expect(run(pod(true), { ...over, subresource: 'ephemeralcontainers' })).rejects.toMatchObject({
      code: 403,
    });
    await run(pod(true), { ...over, subresource: 'status' });
  });

  it('lets the garbage collector remove the owners of pods that no policy allows', async () => {
    const { run } = start([]);
    const object = { ...pod(true), metadata: { name: 'web', finalizers: [] } };
    const previous = { ...pod(true), metadata: { name: 'web', finalizers: ['f'] } };
    await run(object, { operation: 'UPDATE', previous });
  });

  it('evaluates first the policy that admitted the pod before', async () => {
    const { run, audit } = start([policy('a'), policy('b')]);
    const noted = pod();
    noted.metadata = { name: 'web', annotations: { 'kubernetes.io/psp': 'b' } };
    await run(noted, { operation: 'UPDATE', previous: pod() });
    expect(audit).toEqual(['podsecuritypolicy.policy.k8s.io/validate-policy=b']);
  });
});
