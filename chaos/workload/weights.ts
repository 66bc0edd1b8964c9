/** Weights recorded by `orch chaos run --weights`, which writes this file. */
export const weights: Readonly<Record<string, number>> = {
  '/configmaps when=soon': 2,
  '/serviceaccounts delete=Background': 2,
  'batch/cronjobs edit=spec.suspend': 2,
  'batch/cronjobs moves=3': 2,
  'batch/cronjobs undone late=true': 2,
  'batch/jobs spec.activeDeadlineSeconds=60': 2,
  'certificates/certificatesigningrequests near=10': 2,
  'dependents=1': 2,
  'late content=500': 2,
  'rbac.authorization/clusterroles move=change-mind': 2,
  'root certificate=true': 2,
};
