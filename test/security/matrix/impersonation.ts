import type { Section } from './section.ts';

/** Requests by users who impersonate other users. */
export const impersonation: readonly Section[] = [
  {
    who: 'deputy',
    shows: 'the permission to impersonate grants nothing else',
    rows: `
  GET    /api/v1/namespaces/team/pods                                      403  list pods in team
  GET    /api/v1/namespaces/team/configmaps/app                            403  get configmaps in team
`,
  },
  {
    who: 'deputy as viewer',
    shows: 'an impersonating request has exactly the permissions of the impersonated user',
    rows: `
  GET    /api/v1/namespaces/team/pods                                      200  viewers
  GET    /api/v1/namespaces/team/configmaps/app                            200  viewers
  GET    /api/v1/namespaces/team/secrets/tls                               403  get secrets in team
  DELETE /api/v1/namespaces/team/pods/web                                  403  delete pods in team
  GET    /api/v1/namespaces/other/pods                                     403  list pods in other
`,
  },
  {
    who: 'deputy in devs',
    shows: 'impersonating a group requires permission for that group',
    rows: `
  GET    /api/v1/namespaces/team/pods/web                                  200  viewers
  GET    /api/v1/namespaces/team/secrets/tls                               403  get secrets in team
`,
  },
  {
    who: 'deputy with extra scopes',
    shows: 'impersonating extra values requires permission for each value',
    rows: `
  GET    /api/v1/namespaces/team/pods/web                                  200  viewers
`,
  },
  {
    who: 'deputy as root',
    shows: 'impersonating a user requires permission for that user',
    rows: `
  GET    /version                                                          403  : users "root" is forbidden: User "deputy" cannot impersonate resource "users" in API group "" at the cluster scope
  GET    /api/v1/namespaces/team/pods                                      403  : users "root" is forbidden: User "deputy" cannot impersonate resource "users" in API group "" at the cluster scope
`,
  },
  {
    who: 'deputy in system:masters',
    shows: 'impersonation of system:masters is refused',
    rows: `
  GET    /api/v1/secrets                                                   403  : groups "system:masters" is forbidden: User "deputy" cannot impersonate resource "groups" in API group "" at the cluster scope
`,
  },
  {
    who: 'deputy with another uid',
    shows: 'impersonating a uid requires permission for that uid',
    rows: `
  GET    /api/v1/namespaces/team/pods/web                                  403  : User "deputy" cannot impersonate resource "uids" in API group "authentication.k8s.io" at the cluster scope
`,
  },
  {
    who: 'deputy with a group but no user',
    shows: 'impersonating a group without a user is refused',
    rows: `
  GET    /version                                                          500  : requested [{Group  devs    }] without impersonating a user
`,
  },
  {
    who: 'alice as root',
    shows: 'impersonation without permission is refused',
    rows: `
  GET    /version                                                          403  : User "alice" cannot impersonate resource "users" in API group "" at the cluster scope
  GET    /api/v1/secrets                                                   403  : User "alice" cannot impersonate resource "users" in API group "" at the cluster scope
`,
  },
  {
    who: 'anonymous as root',
    shows: 'an anonymous request cannot impersonate',
    rows: `
  GET    /version                                                          403  : User "system:anonymous" cannot impersonate resource "users" in API group "" at the cluster scope
  GET    /api/v1/secrets                                                   403  : User "system:anonymous" cannot impersonate resource "users" in API group "" at the cluster scope
`,
  },
  {
    who: 'admin as alice',
    shows: 'an administrator who impersonates loses her own permissions',
    rows: `
  GET    /api                                                              200  system:discovery
  GET    /api/v1/namespaces                                                403  list namespaces
  GET    /api/v1/namespaces/team/secrets/tls                               403  get secrets in team
`,
  },
];
