import { sameValue } from '../../kinds/carry-over.ts';
import { ageColumn, column, nameColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, Strategy } from '../../kinds/kind.ts';
import { invalidField } from '../../status/field-errors.ts';
import type { EndpointPort, EndpointSlice } from '../../types/discovery-v1.ts';
import type { Vocabulary } from '../../vocabulary/vocabulary.ts';
import { validateEndpointSlice } from '../../validation/network/endpoint-slice.ts';
import { IMMUTABLE } from '../../validation/metadata.ts';
import { isDns1123Subdomain } from '../../validation/names.ts';
import { nextGeneration } from '../../kinds/generation.ts';

type Frozen = DeepReadonly<EndpointSlice>;

const SHOWN = 3;

const contentOf = ({ metadata, addressType, endpoints, ports }: Frozen): object => ({
  labels: metadata?.labels ?? {},
  addressType,
  endpoints: endpoints ?? [],
  ports: ports ?? [],
});

/** Increments the generation if labels or anything except metadata changes. */
function countChange(next: EndpointSlice, previous: Frozen): void {
  if (sameValue(contentOf(next as Frozen), contentOf(previous))) return;
  next.metadata = { ...next.metadata, generation: nextGeneration(previous.metadata?.generation) };
}

/**
 * Removes the topology of v1beta1, which is read-only at v1. Moves the node name from the topology to its
 * field.
 */
function dropTopology(next: EndpointSlice, previous: Frozen | undefined, vocabulary: Vocabulary): void {
  if (previous && sameValue(next.endpoints, previous.endpoints)) return;
  const hostname = vocabulary.key('', 'hostname');
  const nodes = new Set(
    (previous?.endpoints ?? []).map(({ deprecatedTopology }) => deprecatedTopology?.[hostname]),
  );
  for (const endpoint of next.endpoints ?? []) {
    const node = endpoint.deprecatedTopology?.[hostname];
    if (node !== undefined && nodes.has(node) && isDns1123Subdomain(node).length === 0)
      endpoint.nodeName ??= node;
    delete endpoint.deprecatedTopology;
  }
}

/** Hooks that both versions share. Only v1beta1 can write the topology. */
export const anyEndpointSliceStrategy: Strategy<EndpointSlice> = {
  defaults({ ports }) {
    for (const port of ports ?? []) {
      port.name ??= '';
      port.protocol ??= 'TCP';
    }
  },
  prepareForUpdate: (next, previous) => countChange(next, previous),
  validate: (next, { vocabulary }) => validateEndpointSlice(next, vocabulary),
  validateUpdate: ({ addressType }, previous) =>
    addressType === previous.addressType ? [] : [invalidField('addressType', addressType, IMMUTABLE)],
};

/** Strategy of EndpointSlices. */
export const endpointSliceStrategy: Strategy<EndpointSlice> = {
  ...anyEndpointSliceStrategy,
  prepareForCreate: (next, { vocabulary }) => dropTopology(next, undefined, vocabulary),
  prepareForUpdate(next, previous, { vocabulary }) {
    countChange(next, previous);
    dropTopology(next, previous, vocabulary);
  },
};

/** Formats the first strings and the number of omitted strings. */
function fewOf(texts: readonly string[]): string {
  const shown = texts.slice(0, SHOWN).join(',');
  if (texts.length > SHOWN) return `${shown} + ${texts.length - SHOWN} more...`;
  return shown === '' ? '<unset>' : shown;
}

const portText = ({ port, name }: DeepReadonly<EndpointPort>): string => String(port ?? name ?? '*');

/** Table columns of EndpointSlices. */
export const endpointSliceColumns: readonly Column<EndpointSlice>[] = [
  nameColumn,
  column<EndpointSlice>(
    'AddressType',
    ({ addressType }) => addressType ?? '',
    'addressType specifies the type of address carried by this EndpointSlice. All addresses in this slice must be the same type. This field is immutable after creation. The following address types are currently supported: * IPv4: Represents an IPv4 Address. * IPv6: Represents an IPv6 Address. * FQDN: Represents a Fully Qualified Domain Name.',
  ),
  column<EndpointSlice>(
    'Ports',
    ({ ports }) => fewOf((ports ?? []).map(portText)),
    'ports specifies the list of network ports exposed by each endpoint in this slice. Each port must have a unique name. When ports is empty, it indicates that there are no defined ports. When a port is defined with a nil port value, it indicates "all ports". Each slice may include a maximum of 100 ports.',
  ),
  column<EndpointSlice>(
    'Endpoints',
    ({ endpoints }) => fewOf((endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])),
    'endpoints is a list of unique endpoints in this slice. Each slice may include a maximum of 1000 endpoints.',
  ),
  ageColumn,
];
