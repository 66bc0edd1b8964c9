import { type Chapter, byMinor } from './step.ts';

/** Chapter about cluster information, served APIs, and the client's configuration. */
export const cluster: Chapter = {
  title: 'the cluster',
  steps: [
    { run: 'version', says: /Server Version: (?:v1\.24\.\d+|.*GitVersion:"v1\.24\.\d+")/ },
    { run: 'version -o json', says: [/"gitVersion": "v1\.24\.\d+"/, '"minor": "24"'] },
    { run: 'cluster-info', says: /Kubernetes control plane.* is running at .*https:\/\/127\.0\.0\.1:\d+/ },
    {
      run: 'api-versions',
      says: 'admissionregistration.k8s.io/v1\napiextensions.k8s.io/v1\napiregistration.k8s.io/v1\napps/v1\nauthentication.k8s.io/v1\nauthentication.k8s.io/v1beta1\nauthorization.k8s.io/v1\nautoscaling/v1\nautoscaling/v2\nautoscaling/v2beta1\nautoscaling/v2beta2\nbatch/v1\nbatch/v1beta1\ncertificates.k8s.io/v1\ncoordination.k8s.io/v1\ndiscovery.k8s.io/v1\ndiscovery.k8s.io/v1beta1\nevents.k8s.io/v1\nevents.k8s.io/v1beta1\nflowcontrol.apiserver.k8s.io/v1beta1\nflowcontrol.apiserver.k8s.io/v1beta2\nnetworking.k8s.io/v1\nnode.k8s.io/v1\nnode.k8s.io/v1beta1\npolicy/v1\npolicy/v1beta1\nrbac.authorization.k8s.io/v1\nscheduling.k8s.io/v1\nstorage.k8s.io/v1\nstorage.k8s.io/v1beta1\nv1',
    },
    {
      run: 'api-resources --api-group=apps',
      says: 'NAME SHORTNAMES APIVERSION NAMESPACED KIND\ncontrollerrevisions apps/v1 true ControllerRevision\ndaemonsets ds apps/v1 true DaemonSet\ndeployments deploy apps/v1 true Deployment\nreplicasets rs apps/v1 true ReplicaSet\nstatefulsets sts apps/v1 true StatefulSet',
    },
    {
      run: 'api-resources --namespaced=false -o name',
      says: 'componentstatuses\nnamespaces\nnodes\npersistentvolumes\nmutatingwebhookconfigurations.admissionregistration.k8s.io\nvalidatingwebhookconfigurations.admissionregistration.k8s.io\ncustomresourcedefinitions.apiextensions.k8s.io\napiservices.apiregistration.k8s.io\nselfsubjectreviews.authentication.k8s.io\ntokenreviews.authentication.k8s.io\nselfsubjectaccessreviews.authorization.k8s.io\nselfsubjectrulesreviews.authorization.k8s.io\nsubjectaccessreviews.authorization.k8s.io\ncertificatesigningrequests.certificates.k8s.io\nflowschemas.flowcontrol.apiserver.k8s.io\nprioritylevelconfigurations.flowcontrol.apiserver.k8s.io\ningressclasses.networking.k8s.io\nruntimeclasses.node.k8s.io\npodsecuritypolicies.policy\nclusterrolebindings.rbac.authorization.k8s.io\nclusterroles.rbac.authorization.k8s.io\npriorityclasses.scheduling.k8s.io\ncsidrivers.storage.k8s.io\ncsinodes.storage.k8s.io\nstorageclasses.storage.k8s.io\nvolumeattachments.storage.k8s.io',
    },
    {
      run: 'api-resources --verbs=list,create --api-group=batch -o wide',
      says: byMinor(
        'NAME SHORTNAMES APIVERSION NAMESPACED KIND VERBS\ncronjobs cj batch/v1 true CronJob [create delete deletecollection get list patch update watch]\njobs batch/v1 true Job [create delete deletecollection get list patch update watch]',
        31,
        'NAME SHORTNAMES APIVERSION NAMESPACED KIND VERBS CATEGORIES\ncronjobs cj batch/v1 true CronJob create,delete,deletecollection,get,list,patch,update,watch all\njobs batch/v1 true Job create,delete,deletecollection,get,list,patch,update,watch all',
      ),
    },
    {
      run: 'api-resources --api-group= --namespaced=true --no-headers',
      says: 'bindings v1 true Binding\nconfigmaps cm v1 true ConfigMap\nendpoints ep v1 true Endpoints\nevents ev v1 true Event\nlimitranges limits v1 true LimitRange\npersistentvolumeclaims pvc v1 true PersistentVolumeClaim\npods po v1 true Pod\npodtemplates v1 true PodTemplate\nreplicationcontrollers rc v1 true ReplicationController\nresourcequotas quota v1 true ResourceQuota\nsecrets v1 true Secret\nserviceaccounts sa v1 true ServiceAccount\nservices svc v1 true Service',
    },
    { run: 'config view', says: ['certificate-authority-data: DATA+OMITTED'] },
    { run: 'config current-context', says: 'kubernetes-admin@kubernetes' },
    {
      run: 'config get-contexts',
      says: 'CURRENT NAME CLUSTER AUTHINFO NAMESPACE\n* kubernetes-admin@kubernetes kubernetes kubernetes-admin',
    },
    { run: 'get --raw /healthz', says: 'ok' },
    { run: 'get --raw /readyz?verbose', says: [/^\[\+\]ping ok$/m, /readyz check passed$/] },
    { run: 'get --raw /api', says: ['"kind":"APIVersions"'] },
    {
      run: 'get --raw /nope',
      code: 1,
      warns: 'Error from server (NotFound): the server could not find the requested resource',
    },
    { run: 'get componentstatuses', warns: /Warning: v1 ComponentStatus is deprecated in v1.19\+/ },
    {
      run: 'proxy --port=0',
      keep: { name: 'PORT', of: /127\.0\.0\.1:(\d+)/ },
      meanwhile: [
        { run: '--server=http://127.0.0.1:$PORT get namespace default -o name', says: 'namespace/default' },
        { run: '--server=http://127.0.0.1:$PORT get --raw /healthz', says: 'ok' },
      ],
    },
    {
      run: 'explain cronjob.spec.concurrencyPolicy',
      says: byMinor(
        'KIND: CronJob\nVERSION: batch/v1\n\nFIELD: concurrencyPolicy <string>\n\nDESCRIPTION:\n     When the last run is not done: `Allow`, the default, runs both, `Forbid`\n     skips, `Replace` ends the old one.',
        31,
        'GROUP: batch\nKIND: CronJob\nVERSION: v1\n\nFIELD: concurrencyPolicy <string>\nENUM:\n    Allow\n    Forbid\n    Replace\n\nDESCRIPTION:\n    When the last run is not done: `Allow`, the default, runs both, `Forbid`\n    skips, `Replace` ends the old one.',
      ),
    },
    {
      run: 'explain pods --recursive',
      says: [
        /^ {2,}ephemeralContainers\s+<\[\](?:EphemeralContainer|Object)>/m,
        /^ +preferredDuringSchedulingIgnoredDuringExecution/m,
        /^ +podIPs/m,
      ],
    },
    {
      run: 'explain deployments.spec.template.spec --recursive',
      says: [/^ +topologySpreadConstraints/m, /^ +terminationGracePeriodSeconds <integer>/m],
    },
    {
      run: 'explain nodes --recursive --output=plaintext-openapiv2',
      since: 27,
      says: [/^ +podCIDRs <\[\]string>$/m],
    },
    {
      run: 'explain --api-version=autoscaling/v2 hpa.spec',
      says: byMinor(
        'KIND: HorizontalPodAutoscaler\nVERSION: autoscaling/v2\n\nRESOURCE: spec <Object>\n\nDESCRIPTION:\n     Target, bounds and metrics of the scaling.\n\n     Goals and bounds of an autoscaler.\n\nFIELDS:\n   behavior <Object>\n     Pace of scaling; unset means the defaults of both directions.\n\n   maxReplicas <integer> -required-\n     Most pods there may be; at least `minReplicas`.\n\n   metrics <[]Object>\n     Metrics to follow, of which the one that wants most pods wins; default 80 %\n     of the requested CPU.\n\n   minReplicas <integer>\n     Fewest pods there may be; default 1, and 0 only behind a feature gate.\n\n   scaleTargetRef <Object> -required-\n     Workload whose scale is changed.',
        31,
        'GROUP: autoscaling\nKIND: HorizontalPodAutoscaler\nVERSION: v2\n\nFIELD: spec <HorizontalPodAutoscalerSpec>\n\n\nDESCRIPTION:\n    Target, bounds and metrics of the scaling.\n    Goals and bounds of an autoscaler.\n\nFIELDS:\n  behavior <HorizontalPodAutoscalerBehavior>\n    Pace of scaling; unset means the defaults of both directions.\n\n  maxReplicas <integer> -required-\n    Most pods there may be; at least `minReplicas`.\n\n  metrics <[]MetricSpec>\n    Metrics to follow, of which the one that wants most pods wins; default 80 %\n    of the requested CPU.\n\n  minReplicas <integer>\n    Fewest pods there may be; default 1, and 0 only behind a feature gate.\n\n  scaleTargetRef <CrossVersionObjectReference> -required-\n    Workload whose scale is changed.',
      ),
    },
    { run: 'explain pods.spec.nope', code: 1, warns: 'error: field "nope" does not exist' },
    { run: 'explain nope', code: 1, warns: `the server doesn't have a resource type "nope"` },
    { run: 'get nope', code: 1, warns: `error: the server doesn't have a resource type "nope"` },
    {
      run: 'auth whoami',
      since: 28,
      says: 'ATTRIBUTE VALUE\nUsername kubernetes-admin\nGroups [system:masters system:authenticated]',
    },
    {
      run: 'auth whoami --as=jane --as-group=system:masters',
      since: 28,
      says: 'ATTRIBUTE VALUE\nUsername jane\nGroups [system:masters system:authenticated]',
    },
    {
      run: 'auth whoami --as=jane',
      since: 28,
      says: 'ATTRIBUTE VALUE\nUsername jane\nGroups [system:authenticated]',
    },
    {
      run: 'cluster-info dump --namespaces=kube-public --output-directory=dump',
      says: 'Cluster info dumped to dump',
    },
  ],
};
