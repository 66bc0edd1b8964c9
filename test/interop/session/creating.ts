import { type Chapter, type Step, byMinor } from './step.ts';

const made = (run: string, says: string, more: Partial<Step> = {}): Step => ({
  run: `create ${run}`,
  says: `${says} created`,
  ...more,
});

/** Chapter about every generator of `create`, `run` and `expose`. */
export const creating: Chapter = {
  title: 'creating',
  steps: [
    { run: 'create namespace made', says: 'namespace/made created' },
    {
      run: 'config set-context --current --namespace=made',
      says: 'Context "kubernetes-admin@kubernetes" modified.',
    },
    made('configmap c1 --from-literal=a=b --from-file=web.yaml', 'configmap/c1'),
    made('secret generic s1 --from-literal=a=b', 'secret/s1'),
    made(
      'secret docker-registry s2 --docker-server=r.example --docker-username=u --docker-password=p',
      'secret/s2',
    ),
    made('secret tls s3 --cert=tls.crt --key=tls.key', 'secret/s3'),
    {
      run: 'get secrets',
      says: 'NAME TYPE DATA AGE\ns1 Opaque 1 <age>\ns2 kubernetes.io/dockerconfigjson 1 <age>\ns3 kubernetes.io/tls 2 <age>',
    },
    made('deployment d1 --image=busybox --replicas=2 --port=80', 'deployment.apps/d1'),
    made('job j1 --image=busybox -- sleep 1', 'job.batch/j1'),
    made(
      `cronjob cj1 --image=busybox --schedule='0 0 1 1 *' --restart=OnFailure -- date`,
      'cronjob.batch/cj1',
    ),
    { run: 'create job j2 --from=cronjob/cj1', since: 21, says: 'job.batch/j2 created' },
    { run: 'create job j2 --from=cronjob.v1beta1.batch/cj1', before: 21, says: 'job.batch/j2 created' },
    {
      run: "get job j2 -o jsonpath='{.metadata.ownerReferences[0].kind} {.metadata.annotations}'",
      says: 'CronJob {"cronjob.kubernetes.io/instantiate":"manual"}',
    },
    made('quota q1 --hard=pods=10,services=20', 'resourcequota/q1'),
    made('role r1 --verb=get,list --resource=pods,deployments.apps', 'role.rbac.authorization.k8s.io/r1'),
    made('clusterrole r1 --verb=get --resource=nodes', 'clusterrole.rbac.authorization.k8s.io/r1'),
    made('clusterrole r2 --verb=get --non-resource-url=/logs/*', 'clusterrole.rbac.authorization.k8s.io/r2'),
    made(`clusterrole r3 --aggregation-rule='mine=yes'`, 'clusterrole.rbac.authorization.k8s.io/r3'),
    made('rolebinding b1 --role=r1 --serviceaccount=made:a1', 'rolebinding.rbac.authorization.k8s.io/b1'),
    made(
      'clusterrolebinding b1 --clusterrole=r1 --user=jane --group=team',
      'clusterrolebinding.rbac.authorization.k8s.io/b1',
    ),
    made('serviceaccount a1', 'serviceaccount/a1'),
    { run: 'create token a1', since: 24, says: /^[\w-]+\.[\w-]+\.[\w-]+$/, keep: 'TOKEN' },
    {
      run: 'create token a1 --duration=10m --audience=other -o json',
      since: 24,
      says: ['"kind": "TokenRequest"', '"expirationTimestamp": "<time>"'],
    },
    {
      run: 'create token absent',
      since: 24,
      code: 1,
      warns: 'error: failed to create token: serviceaccounts "absent" not found',
    },
    { run: 'config set-credentials robot --token=$TOKEN', since: 24, says: 'User "robot" set.' },
    { run: '--user=robot auth can-i list pods', since: 24, says: 'yes' },
    {
      run: '--user=robot get secrets',
      since: 24,
      code: 1,
      warns:
        'Error from server (Forbidden): secrets is forbidden: User "system:serviceaccount:made:a1" cannot list resource "secrets" in API group "" in the namespace "made"',
    },
    made('service clusterip v1 --tcp=80:8080', 'service/v1'),
    made('service nodeport v2 --tcp=80', 'service/v2'),
    made('service loadbalancer v3 --tcp=80', 'service/v3'),
    made('service externalname v4 --external-name=example.com', 'service/v4'),
    {
      run: 'get services',
      says: [
        /^v1 ClusterIP 10\.0\.0\.\d+ <none> 80\/TCP <age>$/m,
        /^v2 NodePort 10\.0\.0\.\d+ <none> 80:3\d{4}\/TCP <age>$/m,
        /^v3 LoadBalancer 10\.0\.0\.\d+ <pending> 80:3\d{4}\/TCP <age>$/m,
        /^v4 ExternalName <none> example\.com <none> <age>$/m,
      ],
    },
    made('ingress i1 --rule=example.com/path*=v1:80,tls=s3 --class=plain', 'ingress.networking.k8s.io/i1'),
    { run: 'get ingress i1', says: 'NAME CLASS HOSTS ADDRESS PORTS AGE\ni1 plain example.com 80, 443 <age>' },
    made('poddisruptionbudget p1 --selector=app=d1 --min-available=1', 'poddisruptionbudget.policy/p1'),
    made('priorityclass high --value=1000 --description=first', 'priorityclass.scheduling.k8s.io/high'),
    {
      run: 'run one --image=busybox --restart=Never --labels=app=one --port=80 -- sleep 1',
      says: 'pod/one created',
    },
    { run: 'run two --image=busybox --dry-run=server -o name', says: 'pod/two' },
    { run: 'expose deployment d1 --port=80 --target-port=8080', says: 'service/d1 exposed' },
    { run: 'expose pod one --name=one-svc --type=NodePort', says: 'service/one-svc exposed' },
    {
      run: 'get service d1 -o jsonpath={.spec.selector}{.spec.ports}',
      says: '{"app":"d1"}[{"port":80,"protocol":"TCP","targetPort":8080}]',
    },
    { run: 'get quota q1', says: /^NAME AGE REQUEST LIMIT\nq1 <age> pods: 1\/10, services: \d\/20$/ },
    {
      run: 'describe quota q1',
      says: /^Name: q1\nNamespace: made\nResource Used Hard\n-------- ---- ----\npods 1 10\nservices \d 20$/,
    },
    { run: 'create configmap c1', code: 1, warns: /configmaps "c1" already exists/ },
    {
      run: 'create configmap c2 --from-literal=a=b --dry-run=client -o yaml',
      says: byMinor(
        /creationTimestamp: null/,
        34,
        'apiVersion: v1\ndata:\n  a: b\nkind: ConfigMap\nmetadata:\n  name: c2',
      ),
    },
    {
      run: 'create namespace made',
      code: 1,
      warns: 'Error from server (AlreadyExists): namespaces "made" already exists',
    },
    { run: 'delete namespace made', says: 'namespace "made" deleted' },
    { run: 'get all,configmaps,secrets,roles -n made -o name', says: '' },
    {
      run: 'config set-context --current --namespace=default',
      says: 'Context "kubernetes-admin@kubernetes" modified.',
    },
  ],
};
