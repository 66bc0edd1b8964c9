import { defineKind } from '../kinds/kind.ts';
import { CHANGE } from '../kinds/policy.ts';
import { CustomResourceDefinition } from '../types/apiextensions-v1.ts';
import {
  customResourceDefinitionColumns,
  customResourceDefinitionStrategy,
  customResourceDefinitionSubresources,
} from './apiextensions/custom-resource-definition.ts';

/** Kind `CustomResourceDefinition` of `apiextensions/v1`. */
export const customResourceDefinitions = defineKind<CustomResourceDefinition>({
  group: 'apiextensions',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  namespaced: false,
  anyFinalizer: true,
  generation: true,
  schema: CustomResourceDefinition,
  strategy: customResourceDefinitionStrategy,
  subresources: customResourceDefinitionSubresources,
  columns: customResourceDefinitionColumns,
  policy: { unconditionalUpdate: false, deletion: 'definition', rechecks: CHANGE },
});
