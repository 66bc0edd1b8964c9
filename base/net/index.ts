export { parseAddress, specialRange } from './address.ts';
export {
  ADDRESS_NOT_ALLOWED,
  type DialPolicy,
  createDialPolicy,
  urlPort,
  urlRefusal,
} from './dial-policy.ts';
