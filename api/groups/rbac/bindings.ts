import { sameValue } from '../../kinds/carry-over.ts';
import { ageColumn, column, nameColumn, wideColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, Strategy } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  index,
  notSupportedField,
  requiredField,
} from '../../status/field-errors.ts';
import type { ClusterRoleBinding, RoleBinding, RoleRef, Subject } from '../../types/rbac-v1.ts';
import { goString, goStruct, invalidLiteral } from '../../validation/go-text/values.ts';
import { checked } from '../../validation/metadata.ts';
import { isDns1123Subdomain, isPathSegment } from '../../validation/names.ts';

/** A RoleBinding or a ClusterRoleBinding. */
type Binding = RoleBinding | ClusterRoleBinding;
type Frozen = DeepReadonly<RoleBinding>;

const GROUP = 'rbac.authorization';
const SUBJECT_KINDS = ['ServiceAccount', 'User', 'Group'];

/**
 * Returns the strategy of a kind of binding. The kinds differ in the roles to which they can refer and in the
 * namespace of subjects.
 */
function bindingStrategy<T extends Binding>(namespaced: boolean): Strategy<T> {
  const roleKinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  return {
    defaults(binding, { vocabulary }) {
      const group = vocabulary.group(GROUP);
      if (binding.roleRef) binding.roleRef.apiGroup ||= group;
      for (const subject of binding.subjects ?? []) {
        if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ||= group;
      }
    },
    validate(next, { vocabulary }) {
      const { roleRef, subjects } = next as Frozen;
      const group = vocabulary.group(GROUP);
      return [
        ...validateRoleRef(roleRef, roleKinds, group),
        ...(subjects ?? []).flatMap((each, at) =>
          validateSubject(each, namespaced, index('subjects', at), group),
        ),
      ];
    },
    validatesChangeToo: true,
    validateUpdate: (next, previous) => validateRoleRefChange(next as Frozen, previous as Frozen),
  };
}

/** Strategy of RoleBindings. */
export const roleBindingStrategy = bindingStrategy<RoleBinding>(true);
/** Strategy of ClusterRoleBindings. */
export const clusterRoleBindingStrategy = bindingStrategy<ClusterRoleBinding>(false);

function validateRoleRef(
  roleRef: DeepReadonly<RoleRef> | undefined,
  kinds: readonly string[],
  group: string,
): FieldErrors {
  const { apiGroup = '', kind = '', name = '' } = roleRef ?? {};
  const errors: FieldError[] = [];
  if (apiGroup !== group) errors.push(notSupportedField('roleRef.apiGroup', apiGroup, [group]));
  if (!kinds.includes(kind)) errors.push(notSupportedField('roleRef.kind', kind, kinds));
  if (name === '') errors.push(requiredField('roleRef.name'));
  else errors.push(...checked('roleRef.name', name, isPathSegment));
  return errors;
}

/** Checks the rules of `ValidateRoleBindingSubject` in Kubernetes 1.24. */
function validateSubject(
  subject: DeepReadonly<Subject>,
  namespaced: boolean,
  path: string,
  group: string,
): FieldErrors {
  const { kind = '', name = '', namespace = '', apiGroup = '' } = subject;
  const errors: FieldError[] = [];
  if (name === '') errors.push(requiredField(child(path, 'name')));
  if (!SUBJECT_KINDS.includes(kind)) {
    errors.push(notSupportedField(child(path, 'kind'), kind, SUBJECT_KINDS));
    return errors;
  }
  const account = kind === 'ServiceAccount';
  if (account && name !== '') errors.push(...checked(child(path, 'name'), name, isDns1123Subdomain));
  const expectedGroup = account ? '' : group;
  if (apiGroup !== expectedGroup) {
    errors.push(notSupportedField(child(path, 'apiGroup'), apiGroup, [expectedGroup]));
  }
  if (account && !namespaced && namespace === '') errors.push(requiredField(child(path, 'namespace')));
  return errors;
}

const printedRef = (ref: DeepReadonly<RoleRef> | undefined): string =>
  goStruct('rbac.RoleRef', {
    APIGroup: goString(ref?.apiGroup),
    Kind: goString(ref?.kind),
    Name: goString(ref?.name),
  });

const validateRoleRefChange = (next: Frozen, previous: Frozen): FieldErrors =>
  sameValue(next.roleRef, previous.roleRef)
    ? []
    : [invalidLiteral('roleRef', printedRef(next.roleRef), 'cannot change roleRef')];

const subjectNames =
  (kind: string) =>
  (binding: DeepReadonly<Binding>): string =>
    (binding.subjects ?? [])
      .filter((subject) => subject.kind === kind)
      .map((subject) =>
        kind === 'ServiceAccount' ? `${subject.namespace ?? ''}/${subject.name}` : subject.name,
      )
      .join(', ');

/** Returns the columns of a kind of binding. `of` is the name of the kind in the descriptions. */
export const bindingColumns = (
  of: 'roleBinding' | 'clusterRoleBinding',
): readonly (Column<RoleBinding> & Column<ClusterRoleBinding>)[] => [
  nameColumn,
  column<Binding>(
    'Role',
    ({ roleRef }) => `${roleRef?.kind ?? ''}/${roleRef?.name ?? ''}`,
    'RoleRef can reference a Role in the current namespace or a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.',
  ),
  ageColumn,
  wideColumn<Binding>('Users', subjectNames('User'), `Users in the ${of}`),
  wideColumn<Binding>('Groups', subjectNames('Group'), `Groups in the ${of}`),
  wideColumn<Binding>('ServiceAccounts', subjectNames('ServiceAccount'), `ServiceAccounts in the ${of}`),
];
