import type { Chapter } from './step.ts';
import { configMap } from './manifests.ts';

/** Chapter about `get` in all its forms. */
export const reading: Chapter = {
  title: 'reading',
  steps: [
    { run: 'create -f node.yaml', says: 'node/node-1 created' },
    { run: 'create -f settings.yaml', says: 'configmap/settings created' },
    { run: 'create secret generic keys --from-literal=a=1', says: 'secret/keys created' },
    { run: 'create -f pod.yaml', says: 'pod/box created' },
    {
      run: 'create -f web.yaml -f service.yaml -f stateful-set.yaml -f daemon-set.yaml',
      says: 'deployment.apps/web created\nservice/front created\nendpoints/front created\nendpointslice.discovery.k8s.io/front-1 created\nstatefulset.apps/store created\ndaemonset.apps/agent created',
    },
    {
      run: 'create -f job.yaml -f cron-job.yaml -f ingress.yaml -f volumes.yaml -f policies.yaml -f autoscaler.yaml',
      says: 'job.batch/sums created\ncronjob.batch/nightly created\ningress.networking.k8s.io/door created\npersistentvolume/disk-1 created\npersistentvolumeclaim/claim created\nstorageclass.storage.k8s.io/slow created\nnetworkpolicy.networking.k8s.io/wall created\nresourcequota/share created\nlimitrange/sizes created\npoddisruptionbudget.policy/budget created\nhorizontalpodautoscaler.autoscaling/web created',
    },
    { run: 'get pods', says: 'NAME READY STATUS RESTARTS AGE\nbox 0/1 Pending 0 <age>' },
    {
      run: 'get pods -o wide',
      says: 'NAME READY STATUS RESTARTS AGE IP NODE NOMINATED NODE READINESS GATES\nbox 0/1 Pending 0 <age> <none> node-1 <none> <none>',
    },
    {
      run: 'get pod/box -o yaml',
      says: [
        /^apiVersion: v1\nkind: Pod\nmetadata:\n  annotations:\n    note: written\n/,
        '    terminationMessagePolicy: File',
        /^status:\n  phase: Pending\n  qosClass: BestEffort$/m,
      ],
    },
    {
      run: 'get pod box -o json',
      says: [/^\{\n    "apiVersion": "v1",\n    "kind": "Pod",/, '"qosClass": "BestEffort"'],
    },
    { run: 'get pod box -o name', says: 'pod/box' },
    {
      run: `get pod box -o jsonpath='{.metadata.labels.app} {.spec.containers[*].image}'`,
      says: 'box busybox:1.36',
    },
    {
      run: `get pods -o go-template='{{range .items}}{{.metadata.name}} {{.status.phase}};{{end}}'`,
      says: 'box Pending;',
    },
    {
      run: 'get pods -o custom-columns=N:.metadata.name,I:.spec.containers[0].image,X:.spec.nope',
      says: 'N I X\nbox busybox:1.36 <none>',
    },
    {
      run: 'get pods --show-labels',
      says: 'NAME READY STATUS RESTARTS AGE LABELS\nbox 0/1 Pending 0 <age> app=box,tier=back',
    },
    {
      run: 'get pods -L tier,app',
      says: 'NAME READY STATUS RESTARTS AGE TIER APP\nbox 0/1 Pending 0 <age> back box',
    },
    { run: 'get pods -l app=box,tier!=front -o name', says: 'pod/box' },
    { run: `get pods -l 'app in (box, web)' -o name`, says: 'pod/box' },
    { run: 'get pods -l nope -o name', says: '', warns: '' },
    { run: 'get pods -l nope', says: '', warns: 'No resources found in default namespace.' },
    {
      run: 'get pods -A --field-selector=spec.nodeName=node-1',
      says: 'NAMESPACE NAME READY STATUS RESTARTS AGE\ndefault box 0/1 Pending 0 <age>',
    },
    { run: 'get pods --field-selector=status.phase!=Pending -o name', says: '' },
    {
      run: 'get pods --field-selector=spec.nope=1',
      code: 1,
      warns:
        'Error from server (BadRequest): Unable to find "/v1, Resource=pods" that match label selector "", field selector "spec.nope=1": field label not supported: spec.nope',
    },
    {
      run: 'get pods -l a=,=b',
      code: 1,
      warns:
        'Error from server (BadRequest): Unable to find "/v1, Resource=pods" that match label selector "a=,=b", field selector "": found \'=\', expected: identifier after \',\'',
    },
    { run: 'get pod absent', code: 1, warns: 'Error from server (NotFound): pods "absent" not found' },
    { run: 'get pod absent --ignore-not-found', says: '' },
    {
      run: 'get pod,secret,configmap -o name',
      says: 'pod/box\nsecret/keys\nconfigmap/kube-root-ca.crt\nconfigmap/settings',
    },
    {
      run: 'get all',
      says: 'NAME READY STATUS RESTARTS AGE\npod/box 0/1 Pending 0 <age>\n\nNAME TYPE CLUSTER-IP EXTERNAL-IP PORT(S) AGE\nservice/front ClusterIP 10.0.0.77 <none> 80/TCP,9090/TCP <age>\nservice/kubernetes ClusterIP 10.0.0.1 <none> 443/TCP <age>\n\nNAME DESIRED CURRENT READY UP-TO-DATE AVAILABLE NODE SELECTOR AGE\ndaemonset.apps/agent 0 0 0 0 0 disk=ssd <age>\n\nNAME READY UP-TO-DATE AVAILABLE AGE\ndeployment.apps/web 0/2 0 0 <age>\n\nNAME READY AGE\nstatefulset.apps/store 0/3 <age>\n\nNAME REFERENCE TARGETS MINPODS MAXPODS REPLICAS AGE\nhorizontalpodautoscaler.autoscaling/web Deployment/web <unknown>/80% 2 5 0 <age>\n\nNAME SCHEDULE SUSPEND ACTIVE LAST SCHEDULE AGE\ncronjob.batch/nightly 0 0 1 1 * False 0 <none> <age>\n\nNAME COMPLETIONS DURATION AGE\njob.batch/sums 0/3 <age>',
    },
    {
      run: 'get all -o name',
      says: 'pod/box\nservice/front\nservice/kubernetes\ndaemonset.apps/agent\ndeployment.apps/web\nstatefulset.apps/store\nhorizontalpodautoscaler.autoscaling/web\ncronjob.batch/nightly\njob.batch/sums',
    },
    {
      run: 'get deployments,statefulsets,daemonsets -o wide',
      says: 'NAME READY UP-TO-DATE AVAILABLE AGE CONTAINERS IMAGES SELECTOR\ndeployment.apps/web 0/2 0 0 <age> main nginx:1.20 app=web\n\nNAME READY AGE CONTAINERS IMAGES\nstatefulset.apps/store 0/3 <age> main redis:7\n\nNAME DESIRED CURRENT READY UP-TO-DATE AVAILABLE NODE SELECTOR AGE CONTAINERS IMAGES SELECTOR\ndaemonset.apps/agent 0 0 0 0 0 disk=ssd <age> main agent:1 app=agent',
    },
    {
      run: 'get services,endpoints,ingresses',
      says: [
        /^NAME TYPE CLUSTER-IP EXTERNAL-IP PORT\(S\) AGE\nservice\/front ClusterIP 10\.0\.0\.77 <none> 80\/TCP,9090\/TCP <age>\nservice\/kubernetes ClusterIP 10\.0\.0\.1 <none> 443\/TCP <age>$/m,
        // The endpoint of the server itself is listed if the machine has a reachable address.
        /^NAME ENDPOINTS AGE\nendpoints\/front 10\.1\.0\.4:8080,10\.1\.0\.5:8080,10\.1\.0\.4:9090 \+ 1 more\.\.\. <age>$/m,
        /^NAME CLASS HOSTS ADDRESS PORTS AGE\ningress\.networking\.k8s\.io\/door plain shop\.example\.com 80, 443 <age>$/m,
      ],
    },
    {
      run: 'get service front -o wide',
      says: 'NAME TYPE CLUSTER-IP EXTERNAL-IP PORT(S) AGE SELECTOR\nfront ClusterIP 10.0.0.77 <none> 80/TCP,9090/TCP <age> app=web',
    },
    {
      run: 'get jobs,cronjobs -o wide',
      says: 'NAME COMPLETIONS DURATION AGE CONTAINERS IMAGES SELECTOR\njob.batch/sums 0/3 <age> main perl:5 controller-uid=<uid>\n\nNAME SCHEDULE SUSPEND ACTIVE LAST SCHEDULE AGE CONTAINERS IMAGES SELECTOR\ncronjob.batch/nightly 0 0 1 1 * False 0 <none> <age> main busybox:1 <none>',
    },
    {
      run: 'get pv,pvc,sc',
      says: 'NAME CAPACITY ACCESS MODES RECLAIM POLICY STATUS CLAIM STORAGECLASS REASON AGE\npersistentvolume/disk-1 5Gi RWO,ROX Retain Pending slow <age>\n\nNAME STATUS VOLUME CAPACITY ACCESS MODES STORAGECLASS AGE\npersistentvolumeclaim/claim Pending disk-1 0 slow <age>\n\nNAME PROVISIONER RECLAIMPOLICY VOLUMEBINDINGMODE ALLOWVOLUMEEXPANSION AGE\nstorageclass.storage.k8s.io/slow (default) example.com/slow Delete Immediate false <age>',
    },
    {
      run: 'get hpa,pdb,quota,limits,netpol',
      says: 'NAME REFERENCE TARGETS MINPODS MAXPODS REPLICAS AGE\nhorizontalpodautoscaler.autoscaling/web Deployment/web <unknown>/80% 2 5 0 <age>\n\nNAME MIN AVAILABLE MAX UNAVAILABLE ALLOWED DISRUPTIONS AGE\npoddisruptionbudget.policy/budget 1 N/A 0 <age>\n\nNAME AGE REQUEST LIMIT\nresourcequota/share <age> pods: 1/100, requests.cpu: 0/10\n\nNAME CREATED AT\nlimitrange/sizes <time>\n\nNAME POD-SELECTOR AGE\nnetworkpolicy.networking.k8s.io/wall app=web <age>',
    },
    {
      run: 'get nodes -o wide',
      says: 'NAME STATUS ROLES AGE VERSION INTERNAL-IP EXTERNAL-IP OS-IMAGE KERNEL-VERSION CONTAINER-RUNTIME\nnode-1 Ready worker <age> v1.24.1 192.168.0.4 <none> Debian 5.10 containerd://1.6',
    },
    {
      run: 'get namespaces --sort-by=.metadata.name',
      says: 'NAME STATUS AGE\ndefault Active <age>\nkube-node-lease Active <age>\nkube-public Active <age>\nkube-system Active <age>',
    },
    {
      run: 'get configmaps --sort-by={.metadata.creationTimestamp} -o name',
      says: 'configmap/kube-root-ca.crt\nconfigmap/settings',
    },
    {
      run: 'get clusterroles --chunk-size=25 -o name',
      says: [
        /^clusterrole.rbac.authorization.k8s.io\/view$/m,
        /^clusterrole.rbac.authorization.k8s.io\/cluster-admin$/m,
      ],
    },
    {
      run: 'get clusterrolebinding cluster-admin -o wide',
      says: 'NAME ROLE AGE USERS GROUPS SERVICEACCOUNTS\ncluster-admin ClusterRole/cluster-admin <age> system:masters',
    },
    {
      run: 'get roles,rolebindings -n kube-public',
      says: 'NAME CREATED AT\nrole.rbac.authorization.k8s.io/system:bootstrap-signer-clusterinfo <time>\nrole.rbac.authorization.k8s.io/system:controller:bootstrap-signer <time>\n\nNAME ROLE AGE\nrolebinding.rbac.authorization.k8s.io/system:bootstrap-signer-clusterinfo Role/system:bootstrap-signer-clusterinfo <age>\nrolebinding.rbac.authorization.k8s.io/system:controller:bootstrap-signer Role/system:controller:bootstrap-signer <age>\nrolebinding.rbac.authorization.k8s.io/system:kube-controller-manager:bootstrap-signer Role/system:controller:bootstrap-signer <age>',
    },
    {
      run: 'get priorityclasses',
      says: 'NAME VALUE GLOBAL-DEFAULT AGE\nsystem-cluster-critical 2000000000 false <age>\nsystem-node-critical 2000001000 false <age>',
    },
    { run: 'get serviceaccounts -n kube-system default', says: 'NAME SECRETS AGE\ndefault 0 <age>' },
    {
      run: 'get flowschemas exempt',
      says: 'NAME PRIORITYLEVEL MATCHINGPRECEDENCE DISTINGUISHERMETHOD AGE MISSINGPL\nexempt exempt 1 <none> <age> False',
    },
    {
      run: 'get prioritylevelconfigurations exempt',
      says: 'NAME TYPE ASSUREDCONCURRENCYSHARES QUEUES HANDSIZE QUEUELENGTHLIMIT AGE\nexempt Exempt <none> <none> <none> <none> <age>',
    },
    { run: 'get leases -n kube-system', says: '' },
    { run: 'get -f pod.yaml --no-headers', says: 'box 0/1 Pending 0 <age>' },
    { run: 'get pods.v1. box -o name', says: 'pod/box' },
    { run: 'get deployments.v1.apps web -o name', says: 'deployment.apps/web' },
    {
      run: 'get pods --output-watch-events --watch',
      meanwhile: [{ run: 'label pod box seen=yes', says: 'pod/box labeled' }],
      says: 'EVENT NAME READY STATUS RESTARTS AGE\nADDED box 0/1 Pending 0 <age>\nMODIFIED box 0/1 Pending 0 <age>',
    },
    {
      run: 'get configmaps --watch-only -o name',
      begins: /^/,
      meanwhile: [{ run: 'create configmap watched', says: 'configmap/watched created' }],
    },
    {
      run: 'get pods --watch -o custom-columns=N:.metadata.name,S:.metadata.labels.seen',
      meanwhile: [{ run: 'label pod box seen=no --overwrite', says: 'pod/box labeled' }],
      says: 'N S\nbox yes\nbox no',
    },
    { run: 'apply -f -', stdin: configMap('evented', {}), says: 'configmap/evented created' },
    {
      run: 'create -f -',
      stdin: JSON.stringify({
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'e1', namespace: 'default' },
        involvedObject: { apiVersion: 'v1', kind: 'Pod', name: 'box', namespace: 'default' },
        reason: 'Pulled',
        message: 'image is there',
        type: 'Normal',
        count: 2,
        source: { component: 'kubelet' },
        firstTimestamp: '2024-01-01T00:00:00Z',
        lastTimestamp: '2024-01-02T00:00:00Z',
      }),
      says: 'event/e1 created',
    },
    {
      run: 'get events',
      says: 'LAST SEEN TYPE REASON OBJECT MESSAGE\n2y324d Normal Pulled pod/box image is there',
    },
    {
      run: 'get events -o wide',
      says: 'LAST SEEN TYPE REASON OBJECT SUBOBJECT SOURCE MESSAGE FIRST SEEN COUNT NAME\n2y324d Normal Pulled pod/box kubelet image is there 2y325d 2 e1',
    },
    {
      run: 'get events.events.k8s.io',
      says: 'LAST SEEN TYPE REASON OBJECT MESSAGE\n2y324d Normal Pulled pod/box image is there',
    },
    {
      run: 'events --for=pod/box',
      since: 26,
      says: 'LAST SEEN TYPE REASON OBJECT MESSAGE\n2y324d (x2 over 2y325d) Normal Pulled Pod/box image is there',
    },
    { run: 'events --types=Warning', since: 26, warns: 'No events found in default namespace.' },
    { run: 'get events --field-selector=involvedObject.kind=Pod,type=Normal -o name', says: 'event/e1' },
    {
      run: 'get pod box -o yaml --show-managed-fields',
      since: 21,
      says: ['f:terminationGracePeriodSeconds: {}', 'manager: kubectl-create'],
    },
    {
      run: 'get deployment web --subresource=scale',
      since: 24,
      says: 'NAME DESIRED AVAILABLE AGE\nweb 2 0 <age>',
    },
    { run: 'get deployment web --subresource=status -o name', since: 24, says: 'deployment.apps/web' },
    { run: 'logs box', code: 1 },
    { run: 'exec box -- ls', code: 1 },
  ],
};
