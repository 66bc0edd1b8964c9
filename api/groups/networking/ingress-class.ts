import { ageColumn, column, NONE, nameColumn } from '../../kinds/columns.ts';
import type { Column, Strategy } from '../../kinds/kind.ts';
import { invalidField } from '../../status/field-errors.ts';
import type { IngressClass } from '../../types/networking-v1.ts';
import { validateIngressClass } from '../../validation/network/ingress.ts';
import { IMMUTABLE } from '../../validation/metadata.ts';

/** Strategy of IngressClasses. */
export const ingressClassStrategy: Strategy<IngressClass> = {
  defaults({ spec }) {
    if (spec?.parameters) spec.parameters.scope ||= 'Cluster';
  },
  validate: validateIngressClass,
  validateUpdate({ spec }, previous) {
    const controller = spec?.controller ?? '';
    return controller === (previous.spec?.controller ?? '')
      ? []
      : [invalidField('spec.controller', controller, IMMUTABLE)];
  },
};

/** Table columns of IngressClasses. */
export const ingressClassColumns: readonly Column<IngressClass>[] = [
  nameColumn,
  column<IngressClass>(
    'Controller',
    ({ spec }) => spec?.controller ?? '',
    'Controller that is responsible for handling corresponding Ingresses',
  ),
  column<IngressClass>(
    'Parameters',
    ({ spec }) => {
      if (spec?.parameters === undefined) return NONE;
      const { kind, apiGroup, name } = spec.parameters;
      return `${kind ?? ''}${apiGroup === undefined ? '' : `.${apiGroup}`}/${name ?? ''}`;
    },
    'A reference to a resource with additional parameters',
  ),
  ageColumn,
];
