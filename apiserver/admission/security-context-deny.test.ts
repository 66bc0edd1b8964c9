import { describe, expect, it } from 'vitest';
import type { Pod, PodSpec } from '../../api/types/core-v1-pod.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { admit } from './request.fixture.ts';
import { createSecurityContextDeny } from './security-context-deny.ts';

const plugin = createSecurityContextDeny(kubernetesVocabulary);
const run = (spec: Partial<PodSpec>) => {
  const object: Pod = { metadata: { name: 'web' }, spec: { containers: [{ name: 'c' }], ...spec } };
  return admit(plugin, { object });
};

describe('SecurityContextDeny', () => {
  it('admits pods that set neither user, groups nor SELinux labels', async () => {
    await run({ securityContext: { runAsNonRoot: true } });
    await run({ containers: [{ name: 'c', securityContext: { privileged: true } }] });
  });

  it.each<[Partial<PodSpec>, string]>([
    [{ securityContext: { supplementalGroups: [1] } }, 'pod.Spec.SecurityContext.SupplementalGroups'],
    [{ securityContext: { seLinuxOptions: {} } }, 'pod.Spec.SecurityContext.SELinuxOptions'],
    [{ securityContext: { runAsUser: 0 } }, 'pod.Spec.SecurityContext.RunAsUser'],
    [{ securityContext: { fsGroup: 1 } }, 'pod.Spec.SecurityContext.FSGroup'],
    [{ containers: [{ name: 'c', securityContext: { runAsUser: 5 } }] }, 'SecurityContext.RunAsUser'],
    [
      { initContainers: [{ name: 'i', securityContext: { seLinuxOptions: {} } }] },
      'SecurityContext.SELinuxOptions',
    ],
  ])('rejects %j', async (spec, field) => {
    await expect(run(spec)).rejects.toMatchObject({
      code: 403,
      message: `pods "web" is forbidden: ${field} is forbidden`,
    });
  });
});
