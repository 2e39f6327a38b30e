"""Why a number is what it is: leave-one-out influence and ablation."""
