"""What stands above all experiments: claims, published beside measured, misprints."""
