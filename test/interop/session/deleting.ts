import { type Chapter, type Step, byMinor, inNamespace } from './step.ts';
import { configMap } from './manifests.ts';

const family = (owner: string): readonly Step[] => [
  { run: 'create -f -', stdin: configMap(owner, {}), says: `configmap/${owner} created` },
  { run: `get configmap ${owner} -o jsonpath={.metadata.uid}`, keep: 'UID' },
  {
    run: 'create -f -',
    stdin: configMap(
      `${owner}-child`,
      {},
      {
        ownerReferences: [
          { apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid: '$UID', blockOwnerDeletion: true },
        ],
      },
    ),
    says: `configmap/${owner}-child created`,
  },
];

/** Chapter about deletion in all modes, and about waiting for deletion. */
export const deleting: Chapter = {
  title: 'deleting',
  steps: [
    ...family('mother'),
    {
      run: 'delete configmap mother --cascade=orphan',
      says: inNamespace((of) => `configmap "mother" deleted${of}`),
    },
    { run: 'get configmap mother-child -o jsonpath={.metadata.ownerReferences}', says: '', eventually: true },
    ...family('father'),
    {
      run: 'delete configmap father --cascade=foreground',
      says: inNamespace((of) => `configmap "father" deleted${of}`),
    },
    {
      run: 'get configmap father-child',
      code: 1,
      warns: 'Error from server (NotFound): configmaps "father-child" not found',
    },
    ...family('aunt'),
    {
      run: 'delete configmap aunt --cascade=background',
      says: inNamespace((of) => `configmap "aunt" deleted${of}`),
    },
    { run: 'get configmap aunt-child', code: 1, eventually: true },
    {
      run: 'delete configmap absent',
      code: 1,
      warns: 'Error from server (NotFound): configmaps "absent" not found',
    },
    { run: 'delete configmap absent --ignore-not-found', says: '' },
    { run: 'run waited --image=busybox', says: 'pod/waited created' },
    {
      run: 'delete pod waited --dry-run=server',
      says: byMinor(
        'pod "waited" deleted (server dry run)',
        34,
        'pod "waited" deleted from default namespace (server dry run)',
      ),
    },
    {
      run: `patch pod waited --type=merge -p '{"metadata":{"finalizers":["example.com/hold"]}}'`,
      says: 'pod/waited patched',
    },
    {
      run: 'delete pod waited --grace-period=0 --force --wait=false',
      says: inNamespace((of) => `pod "waited" force deleted${of}`),
      warns: /Immediate deletion does not wait/,
    },
    { run: 'get pod waited', says: 'NAME READY STATUS RESTARTS AGE\nwaited 0/1 Terminating 0 <age>' },
    {
      run: 'wait pod/waited --for=delete --timeout=2s',
      code: 1,
      // kubectl also prints this if the timeout expires just as it restarts its watch.
      warns: /^error: timed out waiting for the condition on pods\/waited$/m,
    },
    {
      run: 'wait pod/waited --for=delete --timeout=20s -v=6',
      begins: /pods/,
      meanwhile: [
        {
          run: `patch pod waited --type=merge -p '{"metadata":{"finalizers":null}}'`,
          says: 'pod/waited patched',
        },
      ],
      says: /pod\/waited condition met/,
    },
    {
      run: 'delete -f volumes.yaml',
      says: byMinor(
        'persistentvolume "disk-1" deleted\npersistentvolumeclaim "claim" deleted\nstorageclass.storage.k8s.io "slow" deleted',
        34,
        'persistentvolume "disk-1" deleted\npersistentvolumeclaim "claim" deleted from default namespace\nstorageclass.storage.k8s.io "slow" deleted',
      ),
    },
    { run: 'delete configmaps -l all=none', says: 'No resources found' },
    {
      run: 'delete deployment,statefulset --all',
      says: byMinor(
        'deployment.apps "turning" deleted\ndeployment.apps "web" deleted\nstatefulset.apps "store" deleted',
        34,
        'deployment.apps "turning" deleted from default namespace\ndeployment.apps "web" deleted from default namespace\nstatefulset.apps "store" deleted from default namespace',
      ),
    },
    {
      run: 'delete --raw /api/v1/namespaces/default/configmaps/evented',
      says: ['"status":"Success"', '"kind":"configmaps"'],
    },
    { run: 'delete pods --field-selector=status.phase=Running', says: 'No resources found' },
    {
      run: 'delete pod absent --now',
      code: 1,
      warns: 'Error from server (NotFound): pods "absent" not found',
    },
  ],
};
