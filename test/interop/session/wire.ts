import { type Chapter, byMinor, inNamespace } from './step.ts';

const PROTOBUF = /Content-Type: application\/vnd\.kubernetes\.protobuf/;
const FEATURE = 'KUBE_FEATURE_WatchListClient';

/** Chapter about the media types of requests and responses, read from the client's log. */
export const wire: Chapter = {
  title: 'the wire',
  steps: [
    // From 1.32 on, the client sends typed objects in protobuf and never repeats the request in JSON.
    ...[
      'create configmap sent --from-literal=a=1',
      'create secret generic sent --from-literal=a=1',
      'create deployment sent --image=busybox',
      'create job sent --image=busybox',
      'create role sent --verb=get --resource=pods',
      'create serviceaccount sent',
      'create token sent',
      'auth can-i list pods',
      'auth can-i --list',
      'auth whoami',
    ].map((run) => ({ run: `${run} -v=8`, since: 32, warns: PROTOBUF })),
    {
      run: 'api-resources --cached=false -v=8',
      since: 30,
      warns: /Content-Type: application\/json;g=apidiscovery\.k8s\.io;v=v2;as=APIGroupDiscoveryList/,
    },
    {
      run: 'explain pods.spec.nodeName -v=8',
      warns: byMinor(
        /Content-Type: application\/com\.github\.proto-openapi\.spec\.v2\.v1\.0\+protobuf/,
        27,
        /openapi\/v3\/api\/v1\?hash=[0-9A-F]+/,
      ),
    },
    {
      run: 'get pods -v=8',
      warns:
        /Accept: application\/json;as=Table;v=v1;g=meta\.k8s\.io,application\/json;as=Table;v=v1beta1;g=meta\.k8s\.io,application\/json/,
    },
    {
      run: 'wait node/node-1 --for=condition=Ready --timeout=10s -v=8',
      since: 30,
      env: { [FEATURE]: 'true' },
      says: 'node/node-1 condition met',
      warns: byMinor(/watch=true/, 34, /sendInitialEvents=true/),
    },
    {
      run: 'wait node/node-1 --for=condition=Ready --timeout=10s -v=8',
      since: 30,
      env: { [FEATURE]: 'false' },
      says: 'node/node-1 condition met',
      warns: /watch=true/,
    },
    { run: 'get namespaces -v=8', warns: /Audit-Id: \S+/ },
    {
      run: 'delete deployment sent',
      since: 32,
      says: inNamespace((of) => `deployment.apps "sent" deleted${of}`),
    },
  ],
};
