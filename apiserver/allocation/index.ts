export { type AddressRange, parseAddressRange } from './ranges.ts';
export type { ServiceRanges } from './service-allocation.ts';
