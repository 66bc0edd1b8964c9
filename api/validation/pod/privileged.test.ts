import { expect, it } from 'vitest';
import { validatePrivileges } from './privileged.ts';

const spec = {
  initContainers: [{ name: 'i', securityContext: { privileged: false } }],
  containers: [{ name: 'a' }, { name: 'b', securityContext: { privileged: true } }],
};
const template = { spec };

it.each([
  ['', 'pods', { spec }, 'spec'],
  ['', 'podtemplates', { template }, 'template.spec'],
  ['apps', 'deployments', { spec: { template } }, 'spec.template.spec'],
  ['batch', 'jobs', { spec: { template } }, 'spec.template.spec'],
  [
    'batch',
    'cronjobs',
    { spec: { jobTemplate: { spec: { template } } } },
    'spec.jobTemplate.spec.template.spec',
  ],
] as const)('validatePrivileges rejects a privileged container in %s %s', (group, plural, object, path) => {
  expect(validatePrivileges({ group, plural }, object as object)).toEqual([
    {
      type: 'FieldValueForbidden',
      field: `${path}.containers[1].securityContext.privileged`,
      message: 'Forbidden: disallowed by cluster policy',
    },
  ]);
});

it('validatePrivileges accepts other kinds, and pods without security contexts', () => {
  expect(validatePrivileges({ group: 'example.com', plural: 'pods' }, { spec } as object)).toEqual([]);
  expect(validatePrivileges({ group: '', plural: 'pods' }, {})).toEqual([]);
  expect(validatePrivileges({ group: 'apps', plural: 'deployments' }, { spec: null } as object)).toEqual([]);
});
