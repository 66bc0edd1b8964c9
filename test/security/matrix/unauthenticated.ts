import type { Section } from './section.ts';

/** Rows in which every invalid credential is rejected. */
const REFUSED = `
  GET    /healthz                                                          401
  GET    /version                                                          401
  GET    /api/v1/namespaces                                                401
  GET    /api/v1/namespaces/team/secrets/tls                               401
  POST   /apis/authorization.k8s.io/v1/selfsubjectaccessreviews            401
`;

/** Anonymous requests, and requests with invalid credentials. */
export const unauthenticated: readonly Section[] = [
  {
    who: 'anonymous',
    shows: 'a request without a credential reads only health and version',
    rows: `
  GET    /healthz                                                          200  system:public-info-viewer
  GET    /livez                                                            200  system:public-info-viewer
  GET    /readyz                                                           200  system:public-info-viewer
  GET    /version                                                          200  system:public-info-viewer
  GET    /version/                                                         200  system:public-info-viewer
  HEAD   /version                                                          403  : 
  POST   /version                                                          403  post path
  GET    /healthz/ping                                                     403  get path
  GET    /livez/ping                                                       403  get path
  GET    /                                                                 403  get path
  GET    /api                                                              403  get path
  GET    /api/v1                                                           403  get path
  GET    /apis                                                             403  get path
  GET    /apis/apps                                                        403  get path
  GET    /apis/apps/v1                                                     403  get path
  GET    /openapi/v2                                                       403  get path
  GET    /metrics                                                          403  get path
  GET    /debug/pprof/                                                     403  get path
  GET    /no/such/path                                                     403  get path
  GET    /api/v1/namespaces                                                403  list namespaces
  GET    /api/v1/namespaces/team                                           403  get namespaces in team
  GET    /api/v1/pods                                                      403  list pods
  GET    /api/v1/pods?watch=true                                           403  watch pods
  GET    /api/v1/watch/pods                                                403  watch pods
  GET    /api/v1/nodes/n1                                                  403  get nodes
  GET    /api/v1/namespaces/team/secrets                                   403  list secrets in team
  GET    /api/v1/namespaces/team/secrets/tls                               403  get secrets in team
  GET    /api/v1/namespaces/team/secrets/absent                            403  get secrets in team
  GET    /api/v1/namespaces/absent/secrets/tls                             403  get secrets in absent
  GET    /api/v1/namespaces/kube-public/configmaps/cluster-info            200  system:bootstrap-signer-clusterinfo
  GET    /api/v1/namespaces/kube-public/configmaps                         403  list configmaps in kube-public
  POST   /api/v1/namespaces                                                403  create namespaces
  POST   /api/v1/namespaces/team/pods                                      403  create pods in team
  PUT    /api/v1/namespaces/team/configmaps/app                            403  update configmaps in team
  PATCH  /api/v1/namespaces/team/configmaps/app                            403  patch configmaps in team
  DELETE /api/v1/namespaces/team/configmaps/app                            403  delete configmaps in team
  DELETE /api/v1/namespaces/team/configmaps                                403  deletecollection configmaps in team
  POST   /apis/authorization.k8s.io/v1/selfsubjectaccessreviews            403  create selfsubjectaccessreviews.authorization.k8s.io
  POST   /apis/authorization.k8s.io/v1/subjectaccessreviews                403  create subjectaccessreviews.authorization.k8s.io
  POST   /apis/authentication.k8s.io/v1/tokenreviews                       403  create tokenreviews.authentication.k8s.io
  POST   /api/v1/namespaces/team/serviceaccounts/robot/token               403  create serviceaccounts/token in team
`,
  },
  {
    who: 'anonymous with a proxy header',
    shows: "proxy headers are ignored without the proxy's certificate",
    rows: `
  GET    /version                                                          200  system:public-info-viewer
  GET    /api/v1/namespaces                                                403  list namespaces
  GET    /api/v1/namespaces/team/secrets/tls                               403  get secrets in team
`,
  },
  { who: 'unknown token', shows: 'an unknown token does not make an anonymous request', rows: REFUSED },
  {
    who: 'token of a recreated account',
    shows: 'a token is bound to the uid of its account, not to its name',
    rows: REFUSED,
  },
  { who: 'token for another audience', shows: 'a token is valid for its audience only', rows: REFUSED },
  {
    who: 'token with a foreign signature',
    shows: 'a token signed by an unknown key is refused',
    rows: REFUSED,
  },
  { who: 'token without a signature', shows: 'a token without a signature is refused', rows: REFUSED },
  {
    who: 'expired bootstrap token',
    shows: 'a bootstrap token is refused after its expiration',
    rows: REFUSED,
  },
  {
    who: 'bootstrap token for signing only',
    shows: 'a bootstrap token for signing does not authenticate',
    rows: REFUSED,
  },
  {
    who: 'certificate of a foreign authority',
    shows: "the administrator's certificate of another cluster is refused",
    rows: REFUSED,
  },
  { who: 'expired certificate', shows: 'an expired certificate is refused', rows: REFUSED },
  {
    who: 'empty token',
    shows: 'an empty token counts as no credential',
    rows: `
  GET    /version                                                          200  system:public-info-viewer
  GET    /api/v1/namespaces                                                403  list namespaces
`,
  },
];
