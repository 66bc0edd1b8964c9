import { describe, expect, it } from 'vitest';
import type { Pod, PodSpec } from '../../api/types/core-v1-pod.ts';
import { kubernetesVocabulary as v } from '../../api/vocabulary/vocabulary.ts';
import { fixtureReader } from '../authorization/reader.fixture.ts';
import { createDenyEscalatingExec, createDenyExecOnPrivileged } from './deny-exec.ts';
import { admit } from './request.fixture.ts';

const privileged = { name: 'c', securityContext: { privileged: true } };
const PRIVILEGED = 'cannot exec into or attach to a privileged container';
const host = (what: string): string => `cannot exec into or attach to a container using host ${what}`;

/** Pods, and the rejection by each plugin; undefined if the pod is admitted. */
const ROWS: readonly [
  string,
  Partial<PodSpec>,
  escalating: string | undefined,
  onPrivileged: string | undefined,
][] = [
  ['a plain pod', {}, undefined, undefined],
  [
    'a pod with privileged false',
    { containers: [{ name: 'c', securityContext: { privileged: false } }] },
    undefined,
    undefined,
  ],
  ['a privileged container', { containers: [{ name: 'a' }, privileged] }, PRIVILEGED, PRIVILEGED],
  ['a privileged init container', { initContainers: [privileged] }, PRIVILEGED, PRIVILEGED],
  ['a privileged ephemeral container', { ephemeralContainers: [privileged] }, PRIVILEGED, PRIVILEGED],
  ["the node's network", { hostNetwork: true }, host('network'), undefined],
  ["the node's processes", { hostPID: true }, host('pid'), undefined],
  ["the node's memory", { hostIPC: true }, host('ipc'), undefined],
  [
    'all at once',
    { hostNetwork: true, hostPID: true, containers: [privileged] },
    host('network'),
    PRIVILEGED,
  ],
];

const connect = (
  create: typeof createDenyEscalatingExec,
  spec: Partial<PodSpec>,
  subresource = 'exec',
  name = 'web',
): Promise<unknown> => {
  const pod: Pod = {
    metadata: { namespace: 'ns', name: 'web' },
    spec: { containers: [{ name: 'c' }], ...spec },
  };
  const plugin = create({ pods: fixtureReader([pod]), vocabulary: v });
  return admit(plugin, { operation: 'CONNECT', subresource, name });
};

describe.each([
  ['DenyEscalatingExec', createDenyEscalatingExec, 0],
  ['DenyExecOnPrivileged', createDenyExecOnPrivileged, 1],
] as const)('%s', (_name, create, column) => {
  it.each(ROWS)('decides on exec into %s', async (_what, spec, ...expected) => {
    const message = expected[column];
    for (const subresource of ['exec', 'attach'])
      if (message === undefined) await connect(create, spec, subresource);
      else
        await expect(connect(create, spec, subresource)).rejects.toMatchObject({
          code: 403,
          message: `pods "web" is forbidden: ${message}`,
        });
  });

  it('admits other connections', async () => {
    for (const subresource of ['portforward', 'proxy'])
      await connect(create, { hostNetwork: true, containers: [privileged] }, subresource);
  });

  it('rejects a pod that does not exist', async () => {
    await expect(connect(create, {}, 'exec', 'gone')).rejects.toThrow(
      'pods "gone" is forbidden: pods "gone" not found',
    );
  });
});

it('the DenyExec plugins decide by the stored pod, not by a stale cached one', async () => {
  const pods = fixtureReader<Pod>(
    [],
    [{ metadata: { namespace: 'ns', name: 'web' }, spec: { containers: [privileged] } }],
  );
  const plugin = createDenyExecOnPrivileged({ pods, vocabulary: v });
  await expect(admit(plugin, { operation: 'CONNECT', subresource: 'exec' })).rejects.toThrow(PRIVILEGED);
});
