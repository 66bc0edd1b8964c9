import { KeyUsageFlags } from '@peculiar/asn1-x509';

/** Flags of the key usage extension, by usage name in CertificateSigningRequests. */
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

/** Object identifiers of the extended key usage extension, by usage name. */
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

/** All usage names, in alphabetical order. */
export const usageNames: readonly string[] = [
  ...Object.keys(KEY_USAGES),
  ...Object.keys(EXTENDED_USAGES),
].sort();

/** Returns the key usage flags for the given usage names; 0 if there are none. */
export const keyUsageBits = (usages: readonly string[]): number =>
  usages.reduce((sum, each) => sum | (Object.hasOwn(KEY_USAGES, each) ? (KEY_USAGES[each] ?? 0) : 0), 0);

/**
 * Returns the object identifiers of the extended usages among the given usage names, in order and without
 * duplicates.
 */
export const extendedUsages = (usages: readonly string[]): readonly string[] => [
  ...new Set(
    usages.flatMap((each) => (Object.hasOwn(EXTENDED_USAGES, each) ? (EXTENDED_USAGES[each] ?? []) : [])),
  ),
];
