import { type Chapter, byMinor, inNamespace } from './step.ts';
import { configMap } from './manifests.ts';

const pod = (name: string, container: object = {}, spec: object = {}): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'main', image: 'busybox', ...container }], ...spec },
  });

/** Chapter about apply, diff, replace, dry run, and rejected manifests. */
export const applying: Chapter = {
  title: 'applying',
  steps: [
    {
      run: 'apply -f -',
      stdin: configMap('applied', { a: '1', b: '2' }, { labels: { x: 'y' } }),
      says: 'configmap/applied created',
    },
    {
      run: 'apply -f -',
      stdin: configMap('applied', { a: '1', b: '2' }, { labels: { x: 'y' } }),
      says: 'configmap/applied unchanged',
    },
    { run: 'apply -f -', stdin: configMap('applied', { a: '3' }), says: 'configmap/applied configured' },
    { run: "get configmap applied -o jsonpath='{.data}{.metadata.labels}'", says: '{"a":"3"}' },
    { run: 'apply view-last-applied configmap/applied -o json', says: ['"a": "3"'] },
    {
      run: 'apply set-last-applied -f -',
      stdin: configMap('applied', { a: '3', c: '4' }),
      says: 'configmap/applied configured',
    },
    {
      run: 'apply -f - --dry-run=server',
      stdin: configMap('applied', { a: '5' }),
      says: 'configmap/applied configured (server dry run)',
    },
    {
      run: 'apply -f - --dry-run=client',
      stdin: configMap('applied', { a: '5' }),
      says: 'configmap/applied configured (dry run)',
    },
    {
      run: 'apply -f - --dry-run=server -o yaml',
      stdin: configMap('untold', { a: '5' }),
      says: ['a: "5"', 'uid: <uid>'],
    },
    {
      run: 'get configmap untold',
      code: 1,
      warns: 'Error from server (NotFound): configmaps "untold" not found',
    },
    { run: 'diff -f -', stdin: configMap('applied', { a: '3', c: '4' }), code: 1, says: [/^\+ +c: "4"$/m] },
    { run: 'diff -f -', stdin: configMap('evented', {}), says: '' },
    {
      run: 'diff --server-side -f -',
      stdin: configMap('fresh', { a: '1' }),
      code: 1,
      says: [/^\+kind: ConfigMap$/m],
    },
    {
      run: 'apply -f - --prune -l set=pruned --prune-whitelist=core/v1/ConfigMap',
      before: 26,
      stdin: configMap('kept', {}, { labels: { set: 'pruned' } }),
      says: 'configmap/kept created',
    },
    {
      run: 'apply -f - --prune -l set=pruned --prune-allowlist=core/v1/ConfigMap',
      since: 26,
      stdin: configMap('kept', {}, { labels: { set: 'pruned' } }),
      says: 'configmap/kept created',
    },
    {
      run: 'apply -f - --prune -l set=pruned --prune-whitelist=core/v1/ConfigMap',
      before: 26,
      stdin: configMap('other', {}, { labels: { set: 'pruned' } }),
      says: 'configmap/other created\nconfigmap/kept pruned',
    },
    {
      run: 'apply -f - --prune -l set=pruned --prune-allowlist=core/v1/ConfigMap',
      since: 26,
      stdin: configMap('other', {}, { labels: { set: 'pruned' } }),
      says: 'configmap/other created\nconfigmap/kept pruned',
    },
    { run: 'create configmap unmanaged', says: 'configmap/unmanaged created' },
    {
      run: 'apply -f -',
      stdin: configMap('unmanaged', { a: '1' }),
      says: 'configmap/unmanaged configured',
      warns:
        /resource configmaps\/unmanaged is missing the kubectl.kubernetes.io\/last-applied-configuration annotation/,
    },

    {
      run: 'apply --server-side -f -',
      stdin: configMap('owned', { a: '1', b: '1' }),
      says: 'configmap/owned serverside-applied',
    },
    {
      run: 'apply --server-side --field-manager=other -f -',
      stdin: configMap('owned', { a: '2' }),
      code: 1,
      warns: ['Apply failed with 1 conflict: conflict with "kubectl": .data.a', '--force-conflicts'],
    },
    {
      run: 'apply --server-side --field-manager=other --force-conflicts -f -',
      stdin: configMap('owned', { a: '2' }),
      says: 'configmap/owned serverside-applied',
    },
    { run: "get configmap owned -o jsonpath='{.data}'", says: '{"a":"2","b":"1"}' },
    {
      run: 'apply --server-side --field-manager=third -f -',
      stdin: configMap('owned', { a: '3', b: '3' }),
      code: 1,
      warns: [
        'Apply failed with 2 conflicts: conflicts with "kubectl":',
        '- .data.b',
        'conflicts with "other":',
        '- .data.a',
      ],
    },
    { run: "get configmap owned -o jsonpath='{.metadata.managedFields[*].manager}'", says: 'kubectl other' },
    {
      run: 'apply --server-side -f -',
      stdin: configMap('owned', {}),
      says: 'configmap/owned serverside-applied',
    },
    { run: "get configmap owned -o jsonpath='{.data}'", says: '{"a":"2"}' },
    {
      run: 'apply --server-side -f web.yaml --dry-run=server',
      says: 'deployment.apps/web serverside-applied (server dry run)',
      code: 0,
    },
    {
      run: 'apply --server-side -f -',
      stdin: configMap('applied', { a: '3' }),
      says: 'configmap/applied serverside-applied',
    },
    {
      run: 'apply -f web.yaml',
      says: 'deployment.apps/web configured',
      warns: /missing the kubectl.kubernetes.io\/last-applied-configuration annotation/,
    },
    { run: 'apply -f web.yaml', says: 'deployment.apps/web unchanged' },

    { run: 'create -f -', stdin: configMap('replaced', { a: '1' }), says: 'configmap/replaced created' },
    { run: 'replace -f -', stdin: configMap('replaced', { a: '2' }), says: 'configmap/replaced replaced' },
    {
      run: 'replace -f -',
      stdin: configMap('absent', {}),
      code: 1,
      warns: 'Error from server (NotFound): error when replacing "STDIN": configmaps "absent" not found',
    },
    {
      run: 'replace -f -',
      stdin: configMap('replaced', {}, { resourceVersion: '1' }),
      code: 1,
      warns:
        /Error from server \(Conflict\): error when replacing "STDIN": Operation cannot be fulfilled on configmaps "replaced": the object has been modified; please apply your changes to the latest version and try again/,
    },
    {
      run: 'replace --force -f -',
      stdin: configMap('replaced', { a: '4' }),
      says: inNamespace((of) => `configmap "replaced" deleted${of}\nconfigmap/replaced replaced`),
    },
    { run: 'edit configmap replaced', env: { EDITOR: './edit.sh' }, says: 'configmap/replaced edited' },
    {
      run: 'edit configmap replaced',
      env: { EDITOR: 'true' },
      says: '',
      warns: 'Edit cancelled, no changes made.',
    },
    { run: "get configmap replaced -o jsonpath='{.data}'", says: '{"a":"edited"}' },
    {
      run: 'edit deployment web --subresource=status',
      since: 24,
      env: { EDITOR: 'true' },
      warns: 'Edit cancelled, no changes made.',
    },

    {
      run: 'create -f -',
      stdin: configMap('replaced', {}),
      code: 1,
      warns:
        'Error from server (AlreadyExists): error when creating "STDIN": configmaps "replaced" already exists',
    },
    {
      run: 'create -f - --dry-run=server',
      stdin: configMap('tried', {}),
      says: 'configmap/tried created (server dry run)',
    },
    {
      run: 'create -f - --dry-run=client',
      stdin: configMap('tried', {}),
      says: 'configmap/tried created (dry run)',
    },
    {
      run: 'create -f -',
      stdin: pod('x', { nope: 1 }),
      code: 1,
      warns: byMinor(
        /unknown field "nope" in io\.k8s\.api\.core\.v1\.Container/,
        24,
        /Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.containers\[0\].nope"/,
      ),
    },
    {
      run: 'create -f - --validate=warn',
      since: 25,
      stdin: pod('warned', { nope: 1 }),
      says: 'pod/warned created',
      warns: 'Warning: unknown field "spec.containers[0].nope"',
    },
    {
      run: 'create -f - --validate=ignore',
      since: 25,
      stdin: pod('ignored', { nope: 1 }),
      says: 'pod/ignored created',
      warns: '',
    },
    {
      run: 'create -f - --validate=false',
      stdin: pod('unchecked', { nope: 1 }),
      says: 'pod/unchecked created',
      warns: byMinor('Warning: unknown field "spec.containers[0].nope"', 24, ''),
    },
    {
      run: 'create -f -',
      stdin: pod('none', {}, { containers: [] }),
      code: 1,
      warns: 'The Pod "none" is invalid: spec.containers: Required value',
    },
    {
      run: 'create -f -',
      stdin: configMap('X_', {}),
      code: 1,
      warns:
        /^The ConfigMap "X_" is invalid: metadata\.name: Invalid value: "X_": a lowercase RFC 1123 subdomain must consist of/,
    },
    {
      run: 'create -f -',
      stdin: configMap('x', {}, { namespace: 'absent' }),
      code: 1,
      warns: 'Error from server (NotFound): error when creating "STDIN": namespaces "absent" not found',
    },
    {
      run: 'create -f - -n other',
      stdin: configMap('x', {}, { namespace: 'default' }),
      code: 1,
      warns: /the namespace from the provided object "default" does not match the namespace "other"/,
    },
    {
      run: 'create -f -',
      stdin: '{"apiVersion":"v1","kind":"Nope","metadata":{"name":"x"}}',
      code: 1,
      warns: /no matches for kind "Nope" in version "v1"/,
    },
    {
      run: 'create -f -',
      stdin:
        'apiVersion: batch/v1beta1\nkind: CronJob\nmetadata: {name: old}\nspec: {schedule: "0 0 1 1 *", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}}}',
      says: 'cronjob.batch/old created',
      warns:
        'Warning: batch/v1beta1 CronJob is deprecated in v1.21+, unavailable in v1.25+; use batch/v1 CronJob',
    },
    {
      run: 'create -f - --warnings-as-errors',
      stdin:
        'apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: old}\nspec: {minAvailable: 1, selector: {matchLabels: {a: b}}}',
      code: 1,
      warns:
        /PodDisruptionBudget is deprecated in v1.21\+, unavailable in v1.25\+; use policy\/v1 PodDisruptionBudget\n.*(?:[eE]rror: |err=")1 warning received/,
    },

    {
      run: 'kustomize base',
      says: 'apiVersion: v1\ndata:\n  a: "1"\nkind: ConfigMap\nmetadata:\n  labels:\n    made-by: kustomize\n  name: k-generated\n---\napiVersion: v1\ndata:\n  a: "1"\nkind: ConfigMap\nmetadata:\n  labels:\n    made-by: kustomize\n  name: k-plain',
    },
    { run: 'apply -k base', says: 'configmap/k-generated created\nconfigmap/k-plain created' },
    { run: 'get -k base -o name', says: 'configmap/k-generated\nconfigmap/k-plain' },
    { run: 'diff -k base', says: '' },
    {
      run: 'delete -k base',
      says: byMinor(
        'configmap "k-generated" deleted\nconfigmap "k-plain" deleted',
        34,
        'configmap "k-generated" deleted from default namespace\nconfigmap "k-plain" deleted from default namespace',
      ),
    },
  ],
};
