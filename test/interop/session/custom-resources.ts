import { type Chapter, inNamespace } from './step.ts';

const gauge = (name: string, spec: object): string =>
  JSON.stringify({ apiVersion: 'lab.example.com/v1', kind: 'Gauge', metadata: { name }, spec });

/** Chapter about a CustomResourceDefinition and its objects. */
export const customResources: Chapter = {
  title: 'custom resources',
  steps: [
    {
      run: 'apply -f crd.yaml',
      says: 'customresourcedefinition.apiextensions.k8s.io/gauges.lab.example.com created',
    },
    {
      run: 'wait crd/gauges.lab.example.com --for=condition=Established --timeout=20s',
      says: 'customresourcedefinition.apiextensions.k8s.io/gauges.lab.example.com condition met',
    },
    { run: 'get crd gauges.lab.example.com', says: 'NAME CREATED AT\ngauges.lab.example.com <time>' },
    {
      run: 'api-resources --api-group=lab.example.com',
      says: 'NAME SHORTNAMES APIVERSION NAMESPACED KIND\ngauges gg lab.example.com/v1 true Gauge',
      eventually: true,
    },
    { run: 'explain gauge.spec', says: [/size/, /how much it holds/], eventually: true },
    {
      run: 'create -f -',
      stdin: gauge('one', { size: 3 }),
      says: 'gauge.lab.example.com/one created',
      eventually: true,
    },
    { run: 'get gauges', says: 'NAME SIZE UNIT AGE\none 3 litre <age>' },
    { run: 'get gg one -o jsonpath={.spec}', says: '{"size":3,"unit":"litre"}' },
    { run: 'get all -o name', says: [/^gauge\.lab\.example\.com\/one$/m] },
    {
      run: 'create -f - --validate=false',
      stdin: gauge('two', { size: 'much' }),
      code: 1,
      warns: [
        'The Gauge "two" is invalid: spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
      ],
    },
    {
      run: 'create -f -',
      stdin: gauge('two', { size: 500 }),
      code: 1,
      warns:
        'The Gauge "two" is invalid: spec.size: Invalid value: 500: spec.size in body should be less than or equal to 100',
    },
    {
      run: 'create -f -',
      stdin: gauge('two', { size: 5, nope: 1 }),
      code: 1,
      since: 24,
      warns: /unknown field "spec\.nope"|ValidationError/,
    },
    { run: 'apply -f -', stdin: gauge('two', { size: 5 }), says: 'gauge.lab.example.com/two created' },
    {
      run: 'apply -f -',
      stdin: gauge('two', { size: 6, replicas: 2 }),
      says: 'gauge.lab.example.com/two configured',
    },
    {
      run: 'apply --server-side -f -',
      stdin: gauge('three', { size: 7 }),
      says: 'gauge.lab.example.com/three serverside-applied',
    },
    {
      run: `patch gauge two --type=merge -p '{"spec":{"unit":"pint"}}'`,
      says: 'gauge.lab.example.com/two patched',
    },
    {
      run: `patch gauge two -p '{"spec":{"unit":"pint"}}'`,
      code: 1,
      warns:
        /the body of the request was in an unknown format - accepted media types include: application\/json-patch\+json, application\/merge-patch\+json/,
    },
    { run: 'scale gauge two --replicas=4', says: 'gauge.lab.example.com/two scaled' },
    { run: 'get gauge two -o jsonpath={.spec.replicas}', says: '4' },
    { run: 'label gauge two a=b', says: 'gauge.lab.example.com/two labeled' },
    {
      run: 'describe gauge two',
      says: ['Name: two', 'API Version: lab.example.com/v1', 'Kind: Gauge', '  Size: 6'],
    },
    { run: 'edit gauge two', env: { EDITOR: 'true' }, warns: 'Edit cancelled, no changes made.' },
    { run: 'diff -f -', stdin: gauge('one', { size: 4 }), code: 1, says: [/^\+ size: 4$/m] },
    { run: 'delete gauge three', says: inNamespace((of) => `gauge.lab.example.com "three" deleted${of}`) },
    {
      run: 'delete crd gauges.lab.example.com',
      says: 'customresourcedefinition.apiextensions.k8s.io "gauges.lab.example.com" deleted',
    },
    {
      run: 'get gauges',
      code: 1,
      warns: /the server (?:doesn't have a resource type "gauges"|could not find the requested resource)/,
      eventually: true,
    },
  ],
};
