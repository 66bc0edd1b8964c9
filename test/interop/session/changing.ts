import { type Chapter, byMinor } from './step.ts';

/** Chapter with commands that change objects of the earlier chapters. */
export const changing: Chapter = {
  title: 'changing',
  steps: [
    {
      run: `patch configmap applied --type=merge -p '{"data":{"m":"1"}}'`,
      says: 'configmap/applied patched',
    },
    {
      run: `patch configmap applied --type=json -p '[{"op":"remove","path":"/data/m"}]'`,
      says: 'configmap/applied patched',
    },
    {
      run: `patch configmap applied --type=json -p '[{"op":"test","path":"/data/a","value":"9"}]'`,
      code: 1,
      warns: byMinor(
        'The request is invalid',
        31,
        'The request is invalid: the server rejected our request due to an error in our request',
      ),
    },
    {
      run: `patch deployment web -p '{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"nginx:1.21"},{"name":"side","image":"side:1"}]}}}}'`,
      says: 'deployment.apps/web patched',
    },
    {
      run: "get deployment web -o jsonpath='{.spec.template.spec.containers[*].image}'",
      says: 'nginx:1.21 side:1',
    },
    {
      run: `patch deployment web -p '{"spec":{"template":{"spec":{"containers":[{"name":"side","$patch":"delete"}]}}}}'`,
      says: 'deployment.apps/web patched',
    },
    { run: `patch configmap applied -p '{"data":{"a":"3"}}'`, says: 'configmap/applied patched (no change)' },
    {
      run: `patch configmap applied -p '{"metadata":{"uid":"x"}}'`,
      code: 1,
      warns: 'The ConfigMap "applied" is invalid: metadata.uid: Invalid value: "x": field is immutable',
    },
    {
      run: `patch service front -p '{"spec":{"clusterIP":"10.0.0.78"}}'`,
      code: 1,
      warns:
        'The Service "front" is invalid: spec.clusterIPs[0]: Invalid value: []string{"10.0.0.78"}: may not change once set',
    },
    {
      run: `patch deployment web --subresource=status --type=merge -p '{"status":{"replicas":2}}'`,
      since: 24,
      says: 'deployment.apps/web patched',
    },
    { run: `patch pod box --dry-run=server -p '{"metadata":{"labels":{"x":"y"}}}'`, says: 'pod/box patched' },

    { run: 'label configmap applied team=a', says: 'configmap/applied labeled' },
    {
      run: 'label configmap applied team=b',
      code: 1,
      warns: `error: 'team' already has a value (a), and --overwrite is false`,
    },
    { run: 'label configmap applied team=b --overwrite', says: 'configmap/applied labeled' },
    { run: 'label configmap applied team=b --overwrite', says: /configmap\/applied (?:not )?labeled/ },
    { run: 'label configmap applied --list', since: 21, says: 'team=b' },
    {
      run: 'label configmap applied team-',
      says: byMinor('configmap/applied labeled', 24, 'configmap/applied unlabeled'),
    },
    {
      run: 'label configmaps --all all=yes --dry-run=client -o name',
      says: 'configmap/applied\nconfigmap/evented\nconfigmap/kube-root-ca.crt\nconfigmap/other\nconfigmap/owned\nconfigmap/replaced\nconfigmap/settings\nconfigmap/unmanaged\nconfigmap/watched',
    },
    {
      run: 'label configmap applied _=1',
      code: 1,
      warns:
        "The ConfigMap \"applied\" is invalid: metadata.labels: Invalid value: \"_\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName', or 'my.name', or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    },
    { run: 'annotate configmap applied note=hello', says: 'configmap/applied annotated' },
    { run: 'annotate configmap applied note-', says: 'configmap/applied annotated' },

    { run: 'scale deployment web --replicas=3', says: 'deployment.apps/web scaled' },
    {
      run: 'scale deployment web --replicas=4 --current-replicas=2',
      code: 1,
      warns: /Expected replicas to be 2, was 3/,
    },
    {
      run: 'scale statefulset store --replicas=1 --dry-run=server',
      says: byMinor('statefulset.apps/store scaled', 25, 'statefulset.apps/store scaled (server dry run)'),
    },
    {
      run: 'scale job sums --replicas=2',
      code: 1,
      warns: 'Error from server (NotFound): the server could not find the requested resource',
    },
    {
      run: 'autoscale statefulset store --min=1 --max=4 --cpu-percent=70',
      says: 'horizontalpodautoscaler.autoscaling/store autoscaled',
    },
    {
      run: 'get hpa store',
      says: 'NAME REFERENCE TARGETS MINPODS MAXPODS REPLICAS AGE\nstore StatefulSet/store <unknown>/70% 1 4 0 <age>',
    },

    { run: 'set image deployment/web main=nginx:1.22', says: 'deployment.apps/web image updated' },
    {
      run: 'set image deployment/web absent=x',
      code: 1,
      warns: 'error: unable to find container named "absent"',
    },
    { run: 'set env deployment/web MODE=fancy', says: 'deployment.apps/web env updated' },
    { run: 'set env deployment/web --list', says: '# Deployment web, container main\nMODE=fancy' },
    {
      run: 'set env deployment/web --from=configmap/settings --prefix=S_',
      says: 'deployment.apps/web env updated',
    },
    {
      run: 'set resources deployment/web --limits=cpu=1,memory=128Mi',
      says: 'deployment.apps/web resource requirements updated',
    },
    { run: 'set serviceaccount deployment/web runner', says: 'deployment.apps/web serviceaccount updated' },
    { run: 'set selector service front app=web,part=front', says: 'service/front selector updated' },
    {
      run: "get deployment web -o jsonpath='{.spec.replicas} {.metadata.generation} {.spec.template.spec.serviceAccountName} {.spec.template.spec.containers[0].resources.limits.memory}'",
      says: '3 10 runner 128Mi',
    },

    { run: 'taint node node-1 spot=yes:NoSchedule', says: 'node/node-1 tainted' },
    {
      run: 'taint node node-1 spot=no:NoSchedule',
      code: 1,
      warns: 'error: node node-1 already has spot taint(s) with same effect(s) and --overwrite is false',
    },
    { run: 'taint node node-1 spot-', says: 'node/node-1 untainted' },
    { run: 'cordon node-1', says: 'node/node-1 cordoned' },
    { run: 'cordon node-1', says: 'node/node-1 already cordoned' },
    {
      run: 'get nodes',
      says: 'NAME STATUS ROLES AGE VERSION\nnode-1 Ready,SchedulingDisabled worker <age> v1.24.1',
    },
    { run: 'uncordon node-1', says: 'node/node-1 uncordoned' },
    {
      run: 'drain node-1 --dry-run=client --force',
      says: 'node/node-1 cordoned (dry run)\nevicting pod default/box (dry run)\nnode/node-1 drained (dry run)',
    },
    {
      // kubectl reads the pod's kind from a list, whose items have no kind.
      run: 'drain node-1 --dry-run=server --force',
      before: 24,
      code: 1,
      says: 'node/node-1 cordoned (server dry run)\nevicting pod default/box (server dry run)',
    },
    {
      run: 'drain node-1 --dry-run=server --force',
      since: 24,
      says: 'node/node-1 cordoned (server dry run)\nevicting pod default/box (server dry run)\nnode/node-1 drained (server dry run)',
    },
    { run: 'drain node-1', code: 1, says: 'node/node-1 cordoned' },
    {
      run: 'drain node-1 --force --grace-period=0 --timeout=20s',
      says: byMinor(
        'node/node-1 already cordoned\nevicting pod default/box\npod/box evicted\nnode/node-1 evicted',
        24,
        'node/node-1 already cordoned\nevicting pod default/box\npod/box evicted\nnode/node-1 drained',
      ),
    },
    { run: 'get pod box', code: 1, warns: 'Error from server (NotFound): pods "box" not found' },
    { run: 'uncordon node-1', says: 'node/node-1 uncordoned' },
  ],
};
