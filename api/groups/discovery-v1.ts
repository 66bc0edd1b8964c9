import { defineKind } from '../kinds/kind.ts';
import { WHOLE } from '../kinds/policy.ts';
import { EndpointSlice } from '../types/discovery-v1.ts';
import { endpointSliceColumns, endpointSliceStrategy } from './discovery/endpoint-slice.ts';

/** Kind `EndpointSlice` of `discovery/v1`. */
export const endpointSlices = defineKind<EndpointSlice>({
  group: 'discovery',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  namespaced: true,
  generation: true,
  schema: EndpointSlice,
  strategy: endpointSliceStrategy,
  columns: endpointSliceColumns,
  policy: { rechecks: WHOLE },
});
