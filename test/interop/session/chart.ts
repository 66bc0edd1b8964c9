/** Files of a chart with thirteen kinds, three of them in hooks, by path. */
export const chart: Readonly<Record<string, string>> = {
  'chart/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 0.1.0\nappVersion: "1"\n',
  'chart/values.yaml': 'replicas: 1\ngreeting: hello\n',
  'chart/templates/account.yaml': `
apiVersion: v1
kind: ServiceAccount
metadata: {name: {{ .Release.Name }}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: {{ .Release.Name }}}
rules: [{apiGroups: [''], resources: [pods], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: {{ .Release.Name }}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: {{ .Release.Name }}}
subjects: [{kind: ServiceAccount, name: {{ .Release.Name }}, namespace: {{ .Release.Namespace }}}]
`,
  'chart/templates/config.yaml': `
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}}
data: {greeting: {{ .Values.greeting | quote }}, revision: {{ .Release.Revision | quote }}}
---
apiVersion: v1
kind: Secret
metadata: {name: {{ .Release.Name }}-key}
stringData: {key: value}
`,
  'chart/templates/workload.yaml': `
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}, labels: {app: {{ .Release.Name }}}}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata: {labels: {app: {{ .Release.Name }}}}
    spec:
      serviceAccountName: {{ .Release.Name }}
      containers: [{name: main, image: nginx, env: [{name: GREETING, value: {{ .Values.greeting }}}]}]
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: {{ .Release.Name }}}
spec:
  schedule: 0 0 1 1 *
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: busybox}]}}}}
{{- if .Capabilities.APIVersions.Has "autoscaling/v2" }}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: {{ .Release.Name }}}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: {{ .Release.Name }}}
  maxReplicas: 3
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 70}}}]
{{- end }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: {{ .Release.Name }}}
spec: {maxUnavailable: 1, selector: {matchLabels: {app: {{ .Release.Name }}}}}
`,
  'chart/templates/network.yaml': `
apiVersion: v1
kind: Service
metadata: {name: {{ .Release.Name }}}
spec: {selector: {app: {{ .Release.Name }}}, ports: [{port: 80}]}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: {{ .Release.Name }}}
spec: {defaultBackend: {service: {name: {{ .Release.Name }}, port: {number: 80}}}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: {{ .Release.Name }}}
spec: {podSelector: {matchLabels: {app: {{ .Release.Name }}}}}
`,
  'chart/templates/storage.yaml': `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: {{ .Release.Name }}}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`,
  'chart/templates/hooks.yaml': `
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-before
  annotations: {helm.sh/hook: 'pre-install,pre-upgrade', helm.sh/hook-delete-policy: before-hook-creation}
data: {revision: {{ .Release.Revision | quote }}}
---
apiVersion: v1
kind: Secret
metadata:
  name: {{ .Release.Name }}-after
  annotations: {helm.sh/hook: 'post-install', helm.sh/hook-delete-policy: hook-succeeded}
---
apiVersion: v1
kind: Pod
metadata:
  name: {{ .Release.Name }}-test
  annotations: {helm.sh/hook: test}
spec: {restartPolicy: Never, containers: [{name: main, image: busybox}]}
`,
  'chart/templates/NOTES.txt': 'Served by {{ .Capabilities.KubeVersion.Version }}.\n',
};
