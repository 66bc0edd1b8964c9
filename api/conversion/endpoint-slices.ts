import type { ConversionContext, DeepReadonly } from '../kinds/kind.ts';
import type { Endpoint, EndpointSlice } from '../types/discovery-v1.ts';
import type {
  Endpoint as OldEndpoint,
  EndpointSlice as OldEndpointSlice,
} from '../types/discovery-v1beta1.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import type { Conversion } from './version.ts';

type Labels = Readonly<Record<string, string>>;

const zoneKey = (vocabulary: Vocabulary): string => vocabulary.key('topology', 'zone');
const hostnameKey = (vocabulary: Vocabulary): string => vocabulary.key('', 'hostname');

const without = (labels: Labels, dropped: string): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).filter(([key]) => key !== dropped));

/** Returns the value of the object's own key, because clients choose the keys. */
const valueOf = (labels: Labels, key: string): string | undefined =>
  Object.hasOwn(labels, key) ? labels[key] : undefined;

/**
 * Converts an endpoint: the zone and the node name are moved from the topology to fields. All other keys of
 * the topology are retained.
 */
function toEndpoint({ topology, ...rest }: DeepReadonly<OldEndpoint>, vocabulary: Vocabulary): Endpoint {
  const endpoint = structuredClone(rest) as Endpoint;
  if (topology === undefined) return endpoint;
  const zone = valueOf(topology, zoneKey(vocabulary));
  let left = without(topology, zoneKey(vocabulary));
  if (zone !== undefined) endpoint.zone = zone;
  // If the endpoint has a node name and a different host name in its topology, both values are retained.
  if (endpoint.nodeName !== undefined && valueOf(left, hostnameKey(vocabulary)) === endpoint.nodeName)
    left = without(left, hostnameKey(vocabulary));
  if (Object.keys(left).length > 0) endpoint.deprecatedTopology = left;
  return endpoint;
}

function fromEndpoint(
  { deprecatedTopology, zone, ...rest }: DeepReadonly<Endpoint>,
  vocabulary: Vocabulary,
): OldEndpoint {
  const endpoint = structuredClone(rest) as OldEndpoint;
  if (deprecatedTopology === undefined && zone === undefined && rest.nodeName === undefined) return endpoint;
  const labels: Labels = deprecatedTopology ?? {};
  endpoint.topology = {
    ...labels,
    ...(zone === undefined ? {} : { [zoneKey(vocabulary)]: zone }),
    ...(rest.nodeName === undefined || valueOf(labels, hostnameKey(vocabulary))
      ? {}
      : { [hostnameKey(vocabulary)]: rest.nodeName }),
  };
  return endpoint;
}

/**
 * Conversion of EndpointSlices between v1beta1 and v1
 * (https://github.com/kubernetes/kubernetes/blob/v1.24.0/pkg/apis/discovery/v1beta1/conversion.go). A read at
 * v1beta1 adds the node name to the topology, under the label for host names.
 */
export const endpointSliceConversion: Conversion<OldEndpointSlice, EndpointSlice> = {
  toStorage: (slice, { vocabulary }: ConversionContext) =>
    withEndpoints<EndpointSlice>(
      slice,
      slice.endpoints?.map((each) => toEndpoint(each, vocabulary)),
    ),
  fromStorage: (slice, { vocabulary }: ConversionContext) =>
    withEndpoints<OldEndpointSlice>(
      slice,
      slice.endpoints?.map((each) => fromEndpoint(each, vocabulary)),
    ),
};

/**
 * Returns a deep copy of a slice with replaced endpoints. If `endpoints` is undefined, the copy has no
 * endpoints.
 */
function withEndpoints<T extends EndpointSlice | OldEndpointSlice>(
  { endpoints: _endpoints, ...rest }: DeepReadonly<EndpointSlice | OldEndpointSlice>,
  endpoints: readonly (Endpoint | OldEndpoint)[] | undefined,
): T {
  return { ...structuredClone(rest), ...(endpoints && { endpoints }) } as unknown as T;
}
