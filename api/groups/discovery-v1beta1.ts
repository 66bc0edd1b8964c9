import { endpointSliceConversion } from '../conversion/endpoint-slices.ts';
import { defineVersion } from '../conversion/version.ts';
import type { EndpointSlice as StoredSlice } from '../types/discovery-v1.ts';
import { EndpointSlice } from '../types/discovery-v1beta1.ts';
import { anyEndpointSliceStrategy } from './discovery/endpoint-slice.ts';
import { endpointSlices } from './discovery-v1.ts';

/** Kind `EndpointSlice` of `discovery/v1beta1`. */
export const endpointSlicesV1beta1 = defineVersion<EndpointSlice, StoredSlice>(endpointSlices, {
  version: 'v1beta1',
  schema: EndpointSlice,
  conversion: endpointSliceConversion,
  storedStrategy: anyEndpointSliceStrategy,
  deprecated: {
    since: '1.21',
    removedRelease: '1.25',
    replacement: { group: 'discovery', version: 'v1', kind: 'EndpointSlice' },
  },
});
