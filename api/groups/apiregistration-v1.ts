import { defineKind } from '../kinds/kind.ts';
import { APIService } from '../types/apiregistration-v1.ts';
import {
  apiServiceColumns,
  apiServiceStrategy,
  apiServiceSubresources,
} from './apiregistration/api-service.ts';

/** Kind `APIService` of `apiregistration/v1`. */
export const apiServices = defineKind<APIService>({
  group: 'apiregistration',
  version: 'v1',
  kind: 'APIService',
  plural: 'apiservices',
  categories: ['api-extensions'],
  namespaced: false,
  anyFinalizer: true,
  nameRule: 'path-segment',
  schema: APIService,
  strategy: apiServiceStrategy,
  subresources: apiServiceSubresources,
  columns: apiServiceColumns,
  policy: { unconditionalUpdate: false },
});
