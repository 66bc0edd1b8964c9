import { KeyUsageFlags } from '@peculiar/asn1-x509';

/** Usages by the names certificate requests give them, as bits of the key usage extension. */
const KEY_USAGES: { readonly [usage: string]: number } = {
  signing: KeyUsageFlags.digitalSignature,
  'digital signature': KeyUsageFlags.digitalSignature,
  'content commitment': KeyUsageFlags.nonRepudiation,
  'key encipherment': KeyUsageFlags.keyEncipherment,
  'data encipherment': KeyUsageFlags.dataEncipherment,
  'key agreement': KeyUsageFlags.keyAgreement,
  'cert sign': KeyUsageFlags.keyCertSign,
  'crl sign': KeyUsageFlags.cRLSign,
  'encipher only': KeyUsageFlags.encipherOnly,
  'decipher only': KeyUsageFlags.decipherOnly,
};

/** The same as object identifiers of the extended key usage extension. */
const EXTENDED_USAGES: { readonly [usage: string]: string } = {
  any: '2.5.29.37.0',
  'server auth': '1.3.6.1.5.5.7.3.1',
  'client auth': '1.3.6.1.5.5.7.3.2',
  'code signing': '1.3.6.1.5.5.7.3.3',
  'email protection': '1.3.6.1.5.5.7.3.4',
  's/mime': '1.3.6.1.5.5.7.3.4',
  'ipsec end system': '1.3.6.1.5.5.7.3.5',
  'ipsec tunnel': '1.3.6.1.5.5.7.3.6',
  'ipsec user': '1.3.6.1.5.5.7.3.7',
  timestamping: '1.3.6.1.5.5.7.3.8',
  'ocsp signing': '1.3.6.1.5.5.7.3.9',
  'microsoft sgc': '1.3.6.1.4.1.311.10.3.3',
  'netscape sgc': '2.16.840.1.113730.4.1',
};

/** Every usage name there is, alphabetically. */
export const usageNames: readonly string[] = [
  ...Object.keys(KEY_USAGES),
  ...Object.keys(EXTENDED_USAGES),
].sort();

/** The bits of the key usage extension that `usages` name, as flags; 0 for none. */
export const keyUsageBits = (usages: readonly string[]): number =>
  usages.reduce((sum, each) => sum | (Object.hasOwn(KEY_USAGES, each) ? (KEY_USAGES[each] ?? 0) : 0), 0);

/** Identifiers of the extended usages among `usages`. Each once, in the order of the request. */
export const extendedUsages = (usages: readonly string[]): readonly string[] => [
  ...new Set(
    usages.flatMap((each) => (Object.hasOwn(EXTENDED_USAGES, each) ? (EXTENDED_USAGES[each] ?? []) : [])),
  ),
];
