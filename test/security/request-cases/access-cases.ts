import { LONG } from '../../long.ts';
import {
  BYTES,
  core,
  LIST_BYTES,
  fill,
  HEADER_BYTES,
  listed,
  mapOf,
  post,
  type RequestCase,
} from './request-case.ts';

const groups = (count: number): string[] => listed(count).map((at) => `g${at}`);

const rules = (count: number): object[] =>
  listed(count).map((at) => ({ apiGroups: [`g${at}`], resources: [`r${at}`], verbs: ['get'] }));

const rbac = '/apis/rbac.authorization.k8s.io/v1';

/** Requests that are expensive to authenticate or authorize. */
export const access: readonly RequestCase[] = [
  {
    what: 'a token of megabytes in a review',
    request: () =>
      post('/apis/authentication.k8s.io/v1/tokenreviews', {
        spec: { token: `a.b.${'c'.repeat(BYTES - 100)}` },
      }),
  },
  {
    what: 'audiences in a review of a token',
    request: () =>
      post('/apis/authentication.k8s.io/v1/tokenreviews', {
        spec: { token: 'alice-token', audiences: fill((at) => `a${at}`, LIST_BYTES) },
      }),
  },
  {
    what: 'groups in a review of access',
    request: () =>
      post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        spec: {
          user: 'u',
          groups: fill((at) => `g${at}`),
          resourceAttributes: { verb: 'get', resource: 'pods' },
        },
      }),
  },
  {
    what: 'extra in a review of access',
    request: () =>
      post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        spec: {
          user: 'u',
          extra: mapOf((at) => [`k${at}`, ['v']]),
          resourceAttributes: { verb: 'get', resource: 'pods' },
        },
      }),
  },
  {
    what: 'groups to impersonate',
    request: () => ({
      method: 'GET',
      path: `${core}/default/configmaps/none`,
      headers: { 'impersonate-user': 'u', 'impersonate-group': groups(HEADER_BYTES / 25) },
    }),
  },
  {
    what: 'extra to impersonate',
    request: () => ({
      method: 'GET',
      path: `${core}/default/configmaps/none`,
      headers: {
        'impersonate-user': 'u',
        ...Object.fromEntries(listed(900).map((at) => [`impersonate-extra-k${at}`, ['v']])),
      },
    }),
  },
  {
    what: 'rules of roles that do not allow a request',
    prepare: async ({ prepare }) => {
      for (const role of listed(LONG ? 40 : 4)) {
        await prepare('POST', `${rbac}/clusterroles`, {
          metadata: { name: `many-${role}` },
          rules: rules(10_000),
        });
        await prepare('POST', `${rbac}/clusterrolebindings`, {
          metadata: { name: `many-${role}` },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: `many-${role}` },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'bound' }],
        });
      }
    },
    request: () => ({
      method: 'GET',
      path: `${core}/default/configmaps/none`,
      headers: { 'impersonate-user': 'bound' },
    }),
  },
  {
    what: 'a review of many rules',
    request: () => ({
      ...post('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', { spec: { namespace: 'default' } }),
      headers: { 'impersonate-user': 'bound' },
    }),
  },
];
