/** Files of the session, by name. */
export const manifests: Readonly<Record<string, string>> = {
  'web.yaml': `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: main
        image: nginx:1.20
        ports: [{containerPort: 80}]
        env: [{name: MODE, value: plain}]
        resources: {limits: {cpu: 500m, memory: 64Mi}, requests: {cpu: 250m}}
        livenessProbe: {httpGet: {path: /healthz, port: 80}, periodSeconds: 20}
        volumeMounts: [{name: settings, mountPath: /etc/settings}]
      volumes:
      - name: settings
        configMap: {name: settings}
`,
  'pod.yaml': `
apiVersion: v1
kind: Pod
metadata:
  name: box
  labels: {app: box, tier: back}
  annotations: {note: written}
spec:
  nodeName: node-1
  serviceAccountName: default
  tolerations: [{key: spot, operator: Exists, effect: NoSchedule}]
  initContainers: [{name: first, image: busybox}]
  containers:
  - name: main
    image: busybox:1.36
    command: [sleep]
    args: ['1000']
    env:
    - {name: PLAIN, value: text}
    - {name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}
    - {name: FROM, valueFrom: {secretKeyRef: {name: keys, key: a}}}
`,
  'service.yaml': `
apiVersion: v1
kind: Service
metadata: {name: front, labels: {app: web}}
spec:
  clusterIP: 10.0.0.77
  selector: {app: web}
  ports: [{name: http, port: 80, targetPort: 8080}, {name: metrics, port: 9090}]
---
apiVersion: v1
kind: Endpoints
metadata: {name: front, labels: {app: web}}
subsets:
- addresses: [{ip: 10.1.0.4}, {ip: 10.1.0.5}]
  ports: [{name: http, port: 8080}, {name: metrics, port: 9090}]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: front-1, labels: {kubernetes.io/service-name: front}}
addressType: IPv4
endpoints: [{addresses: [10.1.0.4]}, {addresses: [10.1.0.5]}]
ports: [{name: http, port: 8080}, {name: metrics, port: 9090}]
`,
  'ingress.yaml': `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: door}
spec:
  ingressClassName: plain
  tls: [{hosts: [shop.example.com], secretName: shop-tls}]
  rules:
  - host: shop.example.com
    http:
      paths:
      - {path: /, pathType: Prefix, backend: {service: {name: front, port: {number: 80}}}}
`,
  'stateful-set.yaml': `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: store, labels: {app: store}}
spec:
  serviceName: store
  replicas: 3
  selector: {matchLabels: {app: store}}
  template:
    metadata: {labels: {app: store}}
    spec:
      containers: [{name: main, image: 'redis:7'}]
  volumeClaimTemplates:
  - metadata: {name: data}
    spec:
      accessModes: [ReadWriteOnce]
      resources: {requests: {storage: 1Gi}}
`,
  'daemon-set.yaml': `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, labels: {app: agent}}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      nodeSelector: {disk: ssd}
      containers: [{name: main, image: 'agent:1'}]
`,
  'job.yaml': `
apiVersion: batch/v1
kind: Job
metadata: {name: sums, labels: {app: sums}}
spec:
  completions: 3
  parallelism: 2
  backoffLimit: 4
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: 'perl:5', command: [perl, -e, print 1]}]
`,
  'cron-job.yaml': `
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly, labels: {app: nightly}}
spec:
  schedule: '0 0 1 1 *'
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: OnFailure
          containers: [{name: main, image: 'busybox:1'}]
`,
  'volumes.yaml': `
apiVersion: v1
kind: PersistentVolume
metadata: {name: disk-1}
spec:
  capacity: {storage: 5Gi}
  accessModes: [ReadWriteOnce, ReadOnlyMany]
  persistentVolumeReclaimPolicy: Retain
  storageClassName: slow
  hostPath: {path: /data}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: claim}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: slow
  volumeName: disk-1
  resources: {requests: {storage: 1Gi}}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: slow
  annotations: {storageclass.kubernetes.io/is-default-class: 'true'}
provisioner: example.com/slow
parameters: {type: spinning}
`,
  'node.yaml': `
apiVersion: v1
kind: Node
metadata: {name: node-1, labels: {disk: ssd, node-role.kubernetes.io/worker: ''}}
spec: {podCIDR: 10.2.0.0/24}
status:
  capacity: {cpu: '4', memory: 8Gi, pods: '110'}
  allocatable: {cpu: '4', memory: 8Gi, pods: '110'}
  addresses: [{type: InternalIP, address: 192.168.0.4}, {type: Hostname, address: node-1}]
  nodeInfo: {kubeletVersion: v1.24.1, osImage: Debian, kernelVersion: '5.10', containerRuntimeVersion: 'containerd://1.6', architecture: amd64, operatingSystem: linux, bootID: b, machineID: m, systemUUID: s, kubeProxyVersion: v1.24.1}
  conditions:
  - {type: Ready, status: 'True', reason: KubeletReady, message: kubelet is posting ready status}
`,
  'autoscaler.yaml': `
apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  minReplicas: 2
  maxReplicas: 5
  targetCPUUtilizationPercentage: 80
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
`,
  'policies.yaml': `
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: wall}
spec:
  podSelector: {matchLabels: {app: web}}
  policyTypes: [Ingress]
  ingress:
  - from: [{podSelector: {matchLabels: {app: front}}}]
    ports: [{protocol: TCP, port: 80}]
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: share}
spec: {hard: {pods: '100', requests.cpu: '10'}}
---
apiVersion: v1
kind: LimitRange
metadata: {name: sizes}
spec:
  limits:
  - {type: Container, max: {cpu: '8'}, defaultRequest: {cpu: 1m}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: budget}
spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}
`,
  'settings.yaml': `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, labels: {app: web}}
data: {mode: plain, lines: "one\\ntwo\\n"}
binaryData: {blob: AAEC}
`,
  'crd.yaml': `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gauges.lab.example.com}
spec:
  group: lab.example.com
  scope: Namespaced
  names: {plural: gauges, singular: gauge, kind: Gauge, shortNames: [gg], categories: [all]}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [size]
            properties:
              size: {type: integer, maximum: 100, description: how much it holds}
              unit: {type: string, default: litre}
              replicas: {type: integer}
          status:
            type: object
            properties: {replicas: {type: integer}}
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
    - {name: Unit, type: string, jsonPath: .spec.unit}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
`,
  'base/kustomization.yaml': `
namePrefix: k-
commonLabels: {made-by: kustomize}
resources: [map.yaml]
configMapGenerator:
- name: generated
  literals: [a=1]
generatorOptions: {disableNameSuffixHash: true}
`,
  'base/map.yaml': `
apiVersion: v1
kind: ConfigMap
metadata: {name: plain}
data: {a: '1'}
`,
};

/** Returns a ConfigMap manifest. */
export const configMap = (name: string, data: object, metadata: object = {}): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data });
