import { type Chapter, byMinor } from './step.ts';

const replicaSet = (revision: number, image: string): string =>
  JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `turning-${revision}`,
      labels: { app: 'turning', 'pod-template-hash': `h${revision}` },
      annotations: {
        'deployment.kubernetes.io/revision': String(revision),
        'kubernetes.io/change-cause': `to ${image}`,
      },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'Deployment', name: 'turning', uid: '$UID', controller: true },
      ],
    },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: 'turning', 'pod-template-hash': `h${revision}` } },
      template: {
        metadata: { labels: { app: 'turning', 'pod-template-hash': `h${revision}` } },
        spec: { containers: [{ name: 'main', image }] },
      },
    },
  });

const status = (counts: object, conditions: readonly object[] = []): string =>
  JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'turning', annotations: { 'deployment.kubernetes.io/revision': '2' } },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'turning' } },
      template: {
        metadata: { labels: { app: 'turning' } },
        spec: { containers: [{ name: 'main', image: 'b' }] },
      },
    },
    status: { observedGeneration: 1, ...counts, conditions },
  });
const STATUS = '/apis/apps/v1/namespaces/default/deployments/turning/status';

/**
 * Chapter about rollouts. The session writes their progress itself, because no deployment controller runs.
 */
export const rollouts: Chapter = {
  title: 'rollouts',
  steps: [
    { run: 'create deployment turning --image=b --replicas=2', says: 'deployment.apps/turning created' },
    { run: "get deployment turning -o jsonpath='{.metadata.uid}'", keep: 'UID' },
    {
      run: 'rollout status deployment/turning --watch=false',
      says: 'Waiting for deployment spec update to be observed...',
    },
    {
      run: `replace --raw ${STATUS} -f -`,
      stdin: status({ replicas: 2, updatedReplicas: 1, unavailableReplicas: 2 }),
      says: ['"updatedReplicas":1'],
    },
    {
      run: 'rollout status deployment/turning --watch=false',
      says: 'Waiting for deployment "turning" rollout to finish: 1 out of 2 new replicas have been updated...',
    },
    {
      run: 'rollout status deployment/turning --timeout=20s',
      meanwhile: [
        {
          run: `replace --raw ${STATUS} -f -`,
          stdin: status({ replicas: 2, updatedReplicas: 2, readyReplicas: 1, availableReplicas: 1 }),
          says: ['"availableReplicas":1'],
        },
        {
          run: `replace --raw ${STATUS} -f -`,
          stdin: status({ replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 }, [
            { type: 'Available', status: 'True' },
          ]),
          says: ['"availableReplicas":2'],
        },
      ],
      says: [
        'rollout to finish: 1 of 2 updated replicas are available...',
        'deployment "turning" successfully rolled out',
      ],
    },
    { run: 'get deployment turning', says: 'NAME READY UP-TO-DATE AVAILABLE AGE\nturning 2/2 2 2 <age>' },
    {
      run: 'wait deployment/turning --for=condition=Available --timeout=10s',
      says: 'deployment.apps/turning condition met',
    },
    {
      run: 'wait deployment/turning --for=condition=Progressing --timeout=1s',
      code: 1,
      // kubectl also prints this if the timeout expires just as it restarts its watch.
      warns: /^error: timed out waiting for the condition on deployments\/turning$/m,
    },
    {
      run: `wait deployment/turning --for=jsonpath='{.status.readyReplicas}'=2 --timeout=10s`,
      since: 23,
      says: 'deployment.apps/turning condition met',
    },
    { run: 'create -f -', stdin: replicaSet(1, 'a'), says: 'replicaset.apps/turning-1 created' },
    { run: 'create -f -', stdin: replicaSet(2, 'b'), says: 'replicaset.apps/turning-2 created' },
    {
      run: 'get replicasets -l app=turning -o wide',
      says: 'NAME DESIRED CURRENT READY AGE CONTAINERS IMAGES SELECTOR\nturning-1 0 0 0 <age> main a app=turning,pod-template-hash=h1\nturning-2 0 0 0 <age> main b app=turning,pod-template-hash=h2',
    },
    {
      run: 'rollout history deployment/turning',
      says: 'deployment.apps/turning\nREVISION CHANGE-CAUSE\n1 to a\n2 to b',
    },
    {
      run: 'rollout history deployment/turning --revision=1',
      says: byMinor(
        'deployment.apps/turning with revision #1\nPod Template:\n  Labels: app=turning\n	pod-template-hash=h1\n  Annotations: kubernetes.io/change-cause: to a\n  Containers:\n   main:\n    Image: a\n    Port: <none>\n    Host Port: <none>\n    Environment: <none>\n    Mounts: <none>\n  Volumes: <none>',
        31,
        'deployment.apps/turning with revision #1\nPod Template:\n  Labels: app=turning\n	pod-template-hash=h1\n  Annotations: kubernetes.io/change-cause: to a\n  Containers:\n   main:\n    Image: a\n    Port: <none>\n    Host Port: <none>\n    Environment: <none>\n    Mounts: <none>\n  Volumes: <none>\n  Node-Selectors: <none>\n  Tolerations: <none>',
      ),
    },
    {
      run: 'describe deployment turning',
      says: byMinor(
        'Name: turning\nNamespace: default\nCreationTimestamp: <time>\nLabels: app=turning\nAnnotations: deployment.kubernetes.io/revision: 2\nSelector: app=turning\nReplicas: 2 desired | 2 updated | 2 total | 2 available | 0 unavailable\nStrategyType: RollingUpdate\nMinReadySeconds: 0\nRollingUpdateStrategy: 25% max unavailable, 25% max surge\nPod Template:\n  Labels: app=turning\n  Containers:\n   b:\n    Image: b\n    Port: <none>\n    Host Port: <none>\n    Environment: <none>\n    Mounts: <none>\n  Volumes: <none>\nConditions:\n  Type Status Reason\n  ---- ------ ------\n  Available True\nOldReplicaSets: <none>\nNewReplicaSet: <none>\nEvents: <none>',
        24,
        byMinor(
          'Name: turning\nNamespace: default\nCreationTimestamp: <time>\nLabels: app=turning\nAnnotations: deployment.kubernetes.io/revision: 2\nSelector: app=turning\nReplicas: 2 desired | 2 updated | 2 total | 2 available | 0 unavailable\nStrategyType: RollingUpdate\nMinReadySeconds: 0\nRollingUpdateStrategy: 25% max unavailable, 25% max surge\nPod Template:\n  Labels: app=turning\n  Containers:\n   b:\n    Image: b\n    Port: <none>\n    Host Port: <none>\n    Environment: <none>\n    Mounts: <none>\n  Volumes: <none>\nConditions:\n  Type Status Reason\n  ---- ------ ------\n  Available True\nEvents: <none>',
          31,
          'Name: turning\nNamespace: default\nCreationTimestamp: <time>\nLabels: app=turning\nAnnotations: deployment.kubernetes.io/revision: 2\nSelector: app=turning\nReplicas: 2 desired | 2 updated | 2 total | 2 available | 0 unavailable\nStrategyType: RollingUpdate\nMinReadySeconds: 0\nRollingUpdateStrategy: 25% max unavailable, 25% max surge\nPod Template:\n  Labels: app=turning\n  Containers:\n   b:\n    Image: b\n    Port: <none>\n    Host Port: <none>\n    Environment: <none>\n    Mounts: <none>\n  Volumes: <none>\n  Node-Selectors: <none>\n  Tolerations: <none>\nConditions:\n  Type Status Reason\n  ---- ------ ------\n  Available True\nOldReplicaSets: turning-1 (0/0 replicas created), turning-2 (0/0 replicas created)\nNewReplicaSet: <none>\nEvents: <none>',
        ),
      ),
    },
    {
      run: 'rollout undo deployment/turning --dry-run=server',
      says: 'deployment.apps/turning rolled back (server dry run)',
    },
    {
      run: 'annotate deployment turning --overwrite deployment.kubernetes.io/revision=2',
      says: 'deployment.apps/turning annotated',
    },
    { run: 'rollout undo deployment/turning --to-revision=1', says: 'deployment.apps/turning rolled back' },
    { run: "get deployment turning -o jsonpath='{.spec.template.spec.containers[0].image}'", says: 'a' },
    {
      run: 'rollout undo deployment/turning --to-revision=9',
      code: 1,
      warns: 'error: unable to find specified revision 9 in history',
    },
    { run: 'rollout pause deployment/turning', says: 'deployment.apps/turning paused' },
    {
      run: 'rollout pause deployment/turning',
      code: 1,
      warns: 'error: deployments.apps "turning" is already paused',
    },
    {
      run: 'rollout restart deployment/turning',
      code: 1,
      warns: `error: deployments.apps "turning" can't restart paused deployment (run rollout resume first)`,
    },
    { run: 'rollout resume deployment/turning', says: 'deployment.apps/turning resumed' },
    { run: 'rollout restart deployment/turning', says: 'deployment.apps/turning restarted' },
    { run: 'rollout restart daemonset/agent', says: 'daemonset.apps/agent restarted' },
    {
      run: 'rollout status daemonset/agent --watch=false',
      says: 'Waiting for daemon set spec update to be observed...',
    },
    {
      run: 'rollout status statefulset/store --watch=false',
      says: 'Waiting for statefulset spec update to be observed...',
    },
    { run: 'rollout history statefulset/store', says: /No rollout history found/ },
  ],
};
