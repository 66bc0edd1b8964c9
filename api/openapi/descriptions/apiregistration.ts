import { CONDITION } from './shared.ts';
import type { Descriptions } from './texts.ts';

/** Descriptions of the group `apiregistration`. */
export const apiregistration = (): Descriptions => ({
  APIService: {
    '': 'A group version that this server serves itself or forwards to another server.',
    spec: 'Group version, and the server that serves it.',
    status: 'State of the other server.',
  },
  APIServiceCondition: {
    '': "One aspect of an APIService's state.",
    ...CONDITION,
    type: '`Available` states whether requests can be forwarded.',
  },
  APIServiceSpec: {
    '': 'A group version and where it is answered.',
    caBundle:
      "PEM certificates that the other server's own is verified with; unset means those of the system.",
    group: 'API group; empty for the core group.',
    groupPriorityMinimum: 'Rank of the group among all groups, higher first; at least 1, at most 20000.',
    insecureSkipTLSVerify: 'True trusts any certificate of the other server; excludes `caBundle`.',
    service: 'Service of the other server; unset means that this server answers itself.',
    version: 'API version, such as `v1`.',
    versionPriority: 'Rank of the version in its group, higher first; at least 1, at most 1000.',
  },
  APIServiceStatus: {
    '': 'State of an APIService.',
    conditions: 'Aspects of its state, one of each type.',
  },
  ServiceReference: {
    '': 'The Service of another API server.',
    name: 'Name of the Service.',
    namespace: 'Namespace of the Service.',
    port: 'Port of the Service; default 443.',
  },
});
