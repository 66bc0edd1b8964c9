export {
  type Quantity,
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  parseQuantity,
  quantityMilliValue,
  quantityOf,
  quantityValue,
} from './quantity.ts';
