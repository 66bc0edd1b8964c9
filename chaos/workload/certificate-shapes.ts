import { createCertificateRequest, generateKeyPair } from '../../base/pki/index.ts';
import type { Draw } from './draw.ts';
import { encoded } from './parts.ts';

/** Contents of a certificate request. */
interface Shape {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly names: Partial<Record<'dnsNames' | 'ipAddresses' | 'emailAddresses' | 'uris', readonly string[]>>;
}

const NODE: Shape = { commonName: 'system:node:n1', organizations: ['system:nodes'], names: {} };
const SERVING: Shape = { ...NODE, names: { dnsNames: ['n1.example'] } };

/** Contents that signers for nodes accept or refuse, each for one reason. */
const SHAPES = {
  client: NODE,
  serving: SERVING,
  'serving by address': { ...NODE, names: { ipAddresses: ['10.0.0.1'] } },
  'serving by both': { ...NODE, names: { dnsNames: ['n1.example'], ipAddresses: ['10.0.0.1', '10.0.0.2'] } },
  'client with email': { ...NODE, names: { emailAddresses: ['a@example.com'] } },
  'client with uri': { ...NODE, names: { uris: ['spiffe://example.com/a'] } },
  'serving with email': { ...NODE, names: { ...SERVING.names, emailAddresses: ['a@example.com'] } },
  'serving with uri': { ...NODE, names: { ...SERVING.names, uris: ['spiffe://example.com/a'] } },
  'client of another name': { ...NODE, commonName: 'jane' },
  'serving of another name': { ...SERVING, commonName: 'jane' },
  'client of two organizations': { ...NODE, organizations: ['system:nodes', 'team'] },
  'client of another organization': { ...NODE, organizations: ['team'] },
  'serving of no organization': { ...SERVING, organizations: [] },
} as const satisfies Readonly<Record<string, Shape>>;
type ShapeName = keyof typeof SHAPES;

const SIGNING = ['digital signature', 'key encipherment'];
/** Usages of a request. An empty list of usages is refused by the server. */
const USAGES: readonly (readonly string[])[] = [
  [...SIGNING, 'client auth'],
  [...SIGNING, 'server auth'],
  ['client auth'],
  SIGNING,
  [...SIGNING, 'client auth', 'server auth'],
  [...SIGNING, 'client auth', 'any'],
];

const made = new Map<ShapeName, string>();

function requestOf(name: ShapeName): string {
  const known = made.get(name);
  if (known !== undefined) return known;
  const { commonName, organizations, names }: Shape = SHAPES[name];
  const request = encoded(
    createCertificateRequest(
      generateKeyPair('ec-p256'),
      { commonName, organizations: [...organizations] },
      { dnsNames: [], ipAddresses: [], emailAddresses: [], uris: [], ...names },
    ),
  );
  made.set(name, request);
  return request;
}

/** Draws contents and usages that differ from the usual ones of a signer. */
export const unusualContents = (
  draw: Draw,
): { readonly request: string; readonly usages: readonly string[] } => ({
  request: requestOf(draw.one('csr contents', Object.keys(SHAPES) as ShapeName[])),
  usages: draw.one('csr usages', [USAGES[0], USAGES[0], USAGES[1], USAGES[1], ...USAGES]) ?? [],
});
